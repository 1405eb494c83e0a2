import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { inert, integer, resourceType } from '../resource-type.ts';
import { secretArn } from '../services/secrets-manager/secret-store.ts';

/** A secret whose value the service makes up; those with keys are not in the template. */
export const secretsManagerSecret = resourceType({
  type: 'AWS::SecretsManager::Secret',
  schema: v.strictObject({
    GenerateSecretString: v.strictObject({
      PasswordLength: integer,
      ExcludePunctuation: v.literal(true),
    }),
    Description: inert,
    // Encryption at rest.
    KmsKeyId: inert,
  }),
  identity: (name, place) => {
    const arn = secretArn(name, place);
    return { arn, ref: arn, attributes: { Id: arn } };
  },
  remove: ({ name }, { secrets }) => secrets.remove(name),
  make: ({ name, properties }, { engines }) => {
    const { PasswordLength: length } = properties.GenerateSecretString;
    // Two hex digits a byte.
    engines.secrets.put(name, randomBytes(length).toString('hex').slice(0, length));
  },
});
