import { type LocalAccount, startLocalAccount } from '../../../infra/local/local-account.ts';

/** An account without stacks, in which somebody has made a bucket and a table. */
export function startSampleAccount(): Promise<LocalAccount> {
  const ledger = {
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  };
  return startLocalAccount({
    accountId: '111122223333',
    region: 'eu-west-1',
    existing: { buckets: ['store'], tables: { ledger } },
  });
}
