import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import type { GatedClient } from '../../../lib/gate/gated-client.ts';
import { withSchemas } from '../../../lib/gate/typed-client.ts';

const blocked = { kind: 'blocked', untilMs: 1, retryAfterSeconds: 1 } as const;
const resource = {
  kind: 'resource',
  status: 200,
  bodyText: '{"id":"SECRET"}',
  idKey: 'id',
} as const;
const never = async () => {
  throw new Error('No such request was expected.');
};
const schema = v.object({ id: v.number() });

const clientWith = (calls: Partial<GatedClient>) =>
  withSchemas({ listPage: never, read: never, write: never, ...calls });

test('gives what is no answer as it is, with a schema and without', async () => {
  const client = clientWith({ listPage: async () => blocked, read: async () => blocked });

  expect(await client.listPage({ page: 1, schema })).toBe(blocked);
  expect(await client.read({ resource: 'customers/1', schema })).toBe(blocked);
  expect(await client.read({ resource: 'customers/1' })).toBe(blocked);
});

test('checks what was read, and hands the schema to nobody', async () => {
  const asked: unknown[] = [];
  const client = clientWith({
    read: async (request) => {
      asked.push(request);
      return resource;
    },
  });

  expect(await client.read({ resource: 'customers/1' })).toBe(resource);
  expect(await client.read({ resource: 'customers/1', schema })).toEqual({
    ...resource,
    checked: { kind: 'misfit', path: ['id'], expected: 'number' },
  });
  expect(asked).toEqual([{ resource: 'customers/1' }, { resource: 'customers/1' }]);
});

test('makes no request with a schema that is none', async () => {
  const wrong = Object({ schema: 7 }).schema;
  const failure = { name: 'SettingError', setting: 'schema' };

  const client = clientWith({});
  await expect(client.listPage({ page: 1, schema: wrong })).rejects.toMatchObject(failure);
  await expect(client.read({ resource: 'a', schema: wrong })).rejects.toMatchObject(failure);
});
