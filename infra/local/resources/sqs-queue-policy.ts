import * as v from 'valibot';
import { SettingError } from '../../../lib/errors.ts';
import { readStatements } from '../iam/statement.ts';
import { resourceType } from '../resource-type.ts';

export const sqsQueuePolicy = resourceType({
  type: 'AWS::SQS::QueuePolicy',
  schema: v.strictObject({ Queues: v.array(v.string()), PolicyDocument: v.unknown() }),
  make: ({ logicalId, place, properties }, { engines: { access, place: at } }) => {
    const statements = readStatements(properties.PolicyDocument, logicalId);
    const prefix = `${at.endpointUrl}/${at.accountId}/`;
    for (const url of properties.Queues) {
      if (!url.startsWith(prefix)) throw new SettingError(place, `there is no queue ${url}`);
      const name = url.slice(prefix.length);
      access.addResourcePolicy(`arn:aws:sqs:${at.region}:${at.accountId}:${name}`, statements);
    }
  },
});
