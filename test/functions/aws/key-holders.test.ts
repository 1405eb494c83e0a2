import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createConnections, keyAlone, placedKey } from '../../../functions/aws/connections.ts';
import { createKeyHolders, type PlacedKey } from '../../../functions/aws/key-holders.ts';
import type { OpenKey } from '../../../lib/gate/ports.ts';
import { ApiKey } from '../../../lib/key/api-key.ts';
import { fingerprintOf } from '../../../lib/key/fingerprint.ts';
import { startLedger, TABLE } from './dynalite-ledger.ts';
import { type JsonAnswer, startJsonService } from './json-service.ts';
import { clientFor } from './test-clients.ts';

const ADDRESS = 'https://api.example.com';
const SECRET = 'a secret of the stack';

let service: Awaited<ReturnType<typeof startLedger>>;
beforeAll(async () => {
  service = await startLedger();
});
afterAll(() => service.close());
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** What the secrets of connections hold; each test has keys of its own. */
async function holdersWith(keys: Map<string, PlacedKey>, answer?: () => JsonAnswer) {
  const secrets = await startJsonService(
    answer ?? (() => ({ ok: { VersionId: 'v1', SecretString: SECRET } })),
  );
  const client = new SecretsManagerClient(clientFor(secrets.url));
  closing.push(secrets.close, async () => client.destroy());
  const { table } = service;
  const keyOf = async (connection: string) => keys.get(connection);
  const holders = createKeyHolders({ client, secretId: 'fingerprint', table, keyOf });
  return { holders, calls: secrets.calls };
}

function placed(text: string, address = ADDRESS): PlacedKey {
  return { key: ApiKey.from(text), address };
}

test('a key belongs to the connection that used it first, as long as its secret holds it', async () => {
  const key = placed('canary-first');
  const keys = new Map([['a', key]]);
  const { holders, calls } = await holdersWith(keys);
  expect(await holders.hold('a', key)).toBe('a');
  expect(await holders.hold('b', key)).toBe('a');
  expect(await holders.hold('a', key)).toBe('a');

  keys.set('a', placed('canary-other'));
  expect(await holders.hold('b', key)).toBe('b');
  keys.set('b', key);
  expect(await holders.hold('a', key)).toBe('b');
  expect(calls).toHaveLength(1);
});

test.each([
  'https://api.example.com/',
  'https://API.example.com:443/v2',
  'https://api.example.com.',
  'https://api.example.com.:443/v2',
])('the same host is the same address, however it is written: %s', (baseUrl) => {
  const stored = { kind: 'key', key: ApiKey.from('canary-dot'), keyVersion: 'v1' } as const;
  expect(placedKey({ ...stored, baseUrl }, {})?.address).toBe(ADDRESS);
  expect(placedKey(stored, { baseUrl })?.address).toBe(ADDRESS);
});

test('of ten connections that begin with the same key at once one has it', async () => {
  const key = placed('canary-at-once');
  const names = Array.from({ length: 10 }, (_, index) => `c${index}`);
  const { holders } = await holdersWith(new Map(names.map((name) => [name, key])));
  const found = await Promise.all(names.map((name) => holders.hold(name, key)));
  expect(new Set(found).size).toBe(1);
});

test('an equal key of another API is another key', async () => {
  const key = placed('canary-elsewhere');
  const { holders } = await holdersWith(new Map([['a', key]]));
  expect(await holders.hold('a', key)).toBe('a');
  const elsewhere = placed('canary-elsewhere', 'https://eu.example.com');
  expect(await holders.hold('b', elsewhere)).toBe('b');
});

test('makes no fingerprint without a secret, and asks for it again', async () => {
  const answers: JsonAnswer[] = [
    { ok: { VersionId: 'v1', SecretString: '' } },
    { ok: { VersionId: 'v1', SecretString: SECRET } },
  ];
  const key = placed('canary-no-secret');
  const { holders } = await holdersWith(new Map(), () => answers.shift() ?? { ok: {} });
  await expect(holders.hold('a', key)).rejects.toThrow('NoSecretString');
  expect(await holders.hold('a', key)).toBe('a');
});

test('the ledger holds nothing from which the key could be found without the secret', async () => {
  const key = placed('short');
  const { holders } = await holdersWith(new Map([['a', key]]));
  await holders.hold('a', key);
  const { Items: items } = await service.client.send(new ScanCommand({ TableName: TABLE }));
  const stored = JSON.stringify(items);
  expect(stored).toContain(fingerprintOf(key.key, ADDRESS, SECRET));
  expect(stored).not.toContain('short');
  expect(fingerprintOf(key.key, ADDRESS, 'another')).not.toBe(
    fingerprintOf(key.key, ADDRESS, SECRET),
  );
});

test('a key that another connection took while its secret was away is not used when that is restored', async () => {
  const stored = { kind: 'key', key: ApiKey.from('canary-restored'), keyVersion: 'v1' } as const;
  const key = placed('canary-restored');
  const keys = new Map([['acme', key]]);
  const { holders } = await holdersWith(keys);
  const worker = () =>
    createConnections(
      {
        // Each reading is another object.
        keyStore: { read: async () => ({ ...stored }) },
        apiSettingsOf: () => ({ baseUrl: ADDRESS }),
        listsOf: () => new Map(),
        holders,
      },
      keyAlone,
    );
  const [one, other] = [worker(), worker()];
  expect(await one.open('acme', 'fresh')).toMatchObject({ kind: 'open' });
  keys.delete('acme');
  expect(await other.open('acme-2', 'fresh')).toMatchObject({ kind: 'open' });
  keys.set('acme', key);
  keys.set('acme-2', key);

  expect(await one.open('acme', 'fresh')).toMatchObject({ kind: 'no-key', reason: 'in-use' });
  expect(await other.open('acme-2', 'fresh')).toMatchObject({ kind: 'open' });
});

test('asks once for each reading who has the key, and keeps the client', async () => {
  const read = () => ({ kind: 'key', key: ApiKey.from('canary-once'), keyVersion: 'v1' }) as const;
  let [stored, asked] = [read(), 0];
  const connections = createConnections(
    {
      keyStore: { read: async () => stored },
      apiSettingsOf: () => ({ baseUrl: ADDRESS }),
      listsOf: () => new Map(),
      holders: {
        hold: async (connection) => {
          asked++;
          if (asked === 2) throw new Error('DynamoDB is out of order');
          return connection;
        },
      },
    },
    keyAlone,
  );
  const client = await connections.open('acme', 'cached');
  expect(await connections.open('acme', 'cached')).toBe(client);
  expect(asked).toBe(1);
  stored = read();
  await expect(connections.open('acme', 'cached')).rejects.toThrow('out of order');
  // A client that is made anew would know of no wait.
  expect(await connections.open('acme', 'cached')).toBe(client);
  expect(asked).toBe(3);
});

test('all who open a connection at the same time get the same client, also after a failure', async () => {
  const stored = { kind: 'key', key: ApiKey.from('canary-shared'), keyVersion: 'v1' } as const;
  let failures = 1;
  let clients = 0;
  const connections = createConnections<OpenKey>(
    {
      keyStore: { read: async () => stored },
      apiSettingsOf: () => ({ baseUrl: ADDRESS }),
      listsOf: () => new Map(),
      holders: {
        hold: async (connection) => {
          if (failures-- > 0) throw new Error('DynamoDB is out of order');
          return connection;
        },
      },
    },
    (_options, key) => {
      clients++;
      return { ...key };
    },
  );
  const open = () => connections.open('acme', 'cached', undefined);
  await expect(open()).rejects.toThrow('out of order');
  const opened = await Promise.all(Array.from({ length: 10 }, open));
  expect(opened[0]).toMatchObject({ kind: 'open' });
  expect(new Set(opened).size).toBe(1);
  expect(clients).toBe(1);
});

test('a connection whose key another one has is not opened, and says which', async () => {
  const stored = { kind: 'key', key: ApiKey.from('canary-twice'), keyVersion: 'v1' } as const;
  const key = placed('canary-twice');
  const { holders } = await holdersWith(new Map([['acme', key]]));
  const connections = createConnections(
    {
      keyStore: { read: async () => stored },
      apiSettingsOf: () => ({ baseUrl: ADDRESS }),
      listsOf: () => new Map(),
      holders,
    },
    keyAlone,
  );
  expect(await connections.open('acme', 'cached', undefined)).toMatchObject({ kind: 'open' });
  expect(await connections.open('acme-2', 'cached', undefined)).toEqual({
    kind: 'no-key',
    reason: 'in-use',
    keyVersion: 'v1',
    message:
      'The secrets of the connections acme and acme-2 hold the same key, and each would keep only to its own waits. Use the connection acme, or store the key of another organization for acme-2.',
  });
});
