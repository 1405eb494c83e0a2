import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { jest } from '@jest/globals';
import { loadExample } from '../../../docs/bundle-example.ts';
import { startLedger } from '../../../functions/aws/dynalite-ledger.ts';
import { createIdTable } from '../../../functions/aws/id-table.ts';

const TABLE = 'customers';
const ID = /^\{"id":(\d+)/;

/** A function of a user's own, `examples/own-functions/lambda/keep-customers.ts`, with its table, which is begun from an export. */
export async function startKeptCustomers(
  connection: string,
  begun: { readonly records: readonly string[]; readonly startedAtMs: number },
) {
  const database = await startLedger();
  for (const TableName of [TABLE, 'handled']) await createIdTable(database.client, TableName);
  const foundAtMs = { N: String(begun.startedAtMs) };
  for (const text of begun.records) {
    const Item = { id: { S: `${connection}/${idOf(text)}` }, foundAtMs, customer: { S: text } };
    await database.client.send(new PutItemCommand({ TableName: TABLE, Item }));
  }
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_LAMBDA_FUNCTION_NAME: 'keep-customers',
    AWS_ENDPOINT_URL_DYNAMODB: database.url,
    CUSTOMERS_TABLE: TABLE,
    EVENTS_TABLE: 'handled',
    CHANGES_QUEUE_URL: 'https://sqs.invalid/changes',
    CHANGES_DEAD_LETTER_QUEUE_URL: 'https://sqs.invalid/dead',
  });
  const keepCustomers = await loadExample('keep-customers');

  return {
    /** As a queue hands events to it. */
    receive: async (events: readonly object[]): Promise<unknown> => {
      const Records = events.map((event, index) => ({
        ...{ messageId: `m${index}`, body: JSON.stringify(event) },
        ...{ attributes: { SentTimestamp: String(Date.now()) }, messageAttributes: {} },
      }));
      const log = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
      try {
        return await keepCustomers({ Records });
      } finally {
        log.mockRestore();
      }
    },

    /** JSON texts of the customers that its table has. */
    customers: async (): Promise<readonly string[]> => {
      const command = new ScanCommand({ TableName: TABLE, ConsistentRead: true });
      const { Items: items = [] } = await database.client.send(command);
      return items.flatMap(({ customer }) => customer?.S ?? []).sort();
    },

    close: () => database.close(),
  };
}

function idOf(text: string): string {
  const id = ID.exec(text)?.[1];
  if (id === undefined) throw new Error('expected a customer that begins with its id');
  return id;
}
