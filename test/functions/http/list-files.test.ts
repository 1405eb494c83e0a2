import { hash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import * as v from 'valibot';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import { manifestOf } from '../../../lib/exports/manifest.ts';
import { manifestKey, partKey } from '../../../lib/exports/store-objects.ts';
import { END, lineOf, OWN_IDS, stateOf } from '../../lib/exports/state-of.ts';
import { type FilesWorld, startFilesWorld } from './files-world.ts';
import { createOpenApiClient, documentedAnswers } from './openapi-client.ts';

const connection = 'acme';
const exportId = 'request-0123456789abcdef0123';
const PARTS = 4;

let world: FilesWorld;
let client: ReturnType<typeof createOpenApiClient>;
beforeAll(async () => {
  world = await startFilesWorld();
  client = createOpenApiClient(world.ask);
  const completed = await put('completed', exportId);
  for (const { key } of partsOf(completed)) await world.store(key, bodyOf(key));
  await world.store(manifestKey(completed), manifestTextOf(completed));
});
afterAll(() => world.close());

async function put(status: ExportState['status'], id: string): Promise<ExportState> {
  const state = stateOf({ connection, exportId: id, status });
  await world.ledger.writeExport(state, undefined);
  return state;
}

const bodyOf = (key: string) => `content of ${key}`;

function partsOf(state: ExportState) {
  return Array.from({ length: PARTS }, (_, index) => {
    const number = index + 1;
    const key = partKey(state, number, '0a1b2c3d', 'gzip');
    const storedBytes = bodyOf(key).length;
    const sha256 = hash('sha256', bodyOf(key));
    return { key, number, storedBytes, sha256, records: number };
  });
}

function manifestTextOf(state: ExportState): string {
  const completeness = { verdict: 'complete', reasons: [] } as const;
  const parts = partsOf(state).map((part) => ({
    ...part,
    ...{ connection, exportId: state.exportId, token: '0a1b2c3d', version: 'e', withoutId: 0 },
    ...{ firstPage: 1, pages: 1, bytes: 99, repeats: { ids: 0, texts: 0 }, deleteAfterMs: 0 },
  }));
  return JSON.stringify(
    manifestOf({ state: { ...state, end: END }, parts, ids: OWN_IDS, completeness }),
  );
}

const FilesSchema = v.object({
  files: v.array(
    v.object({
      kind: v.string(),
      name: v.string(),
      key: v.string(),
      bytes: v.number(),
      records: v.nullable(v.number()),
      sha256: v.string(),
      url: v.string(),
      expiresAt: v.string(),
    }),
  ),
  next: v.nullable(v.string()),
});

const list = (values: Readonly<Record<string, string | number>> = {}, more = {}) =>
  client.call('listFiles', { connection, exportId, ...values }, more);

test('gives the manifest and each part, with URLs that download what the hashes say', async () => {
  const answer = await list();
  expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
  const { files, next } = v.parse(FilesSchema, answer.body);
  expect(next).toBeNull();
  expect(files.map(({ kind, name, records }) => [kind, name, records])).toEqual([
    ['manifest', 'manifest.json', null],
    ...[1, 2, 3, 4].map((n) => ['part', `part-0000${n}-0a1b2c3d.ndjson.gz`, n]),
  ]);
  for (const { key, url, bytes, sha256 } of files) {
    const body = Buffer.from(await (await fetch(url)).arrayBuffer());
    expect([key, body.length, hash('sha256', body)]).toEqual([key, bytes, sha256]);
  }
});

test('gives URLs that end after 15 minutes, and tells when', async () => {
  const { files } = v.parse(FilesSchema, (await list({ limit: 1 })).body);
  const { searchParams } = new URL(files[0]?.url ?? '');
  const signedAt = (searchParams.get('X-Amz-Date') ?? '').replace(
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/,
    '$1-$2-$3T$4:$5:$6Z',
  );

  expect(searchParams.get('X-Amz-Expires')).toBe('900');
  expect(Date.parse(files[0]?.expiresAt ?? '') - Date.parse(signedAt)).toBe(900_000);
  expect(searchParams.get('X-Amz-Security-Token')).toBe('session');
});

test.each([1, 2, 3, 5])('gives all files in pages of %i', async (limit) => {
  const names: string[] = [];
  let after: string | null = null;
  do {
    const answer = await list({ limit, ...(after === null ? {} : { after }) });
    const { files, next } = v.parse(FilesSchema, answer.body);
    expect(files.length).toBeLessThanOrEqual(limit);
    names.push(...files.map(({ name }) => name));
    after = next;
  } while (after !== null);

  expect(new Set(names).size).toBe(PARTS + 1);
  expect(names).toHaveLength(PARTS + 1);
});

test.each([1, 4, 5, 100])(
  'gives what the records look like once, behind the parts, in pages of %i',
  async (limit) => {
    const id = `request-described-${limit}`;
    const state = await put('completed', id);
    await world.store(manifestKey(state), manifestTextOf(state));
    const schema = manifestKey(state).replace('manifest.json', 'schema.json');
    await world.store(schema, '{"records":1}');
    const found: unknown[] = [];
    let after: string | null = null;
    do {
      const answer = await list({ exportId: id, limit, ...(after === null ? {} : { after }) });
      const { files, next } = v.parse(FilesSchema, answer.body);
      found.push(...files.map(({ kind, key, sha256 }) => ({ kind, key, sha256 })));
      after = next;
    } while (after !== null);

    expect(found).toHaveLength(PARTS + 2);
    const sha256 = hash('sha256', '{"records":1}');
    expect(found.at(-1)).toEqual({ kind: 'schema', key: schema, sha256 });
  },
);

test('the place in the files of one export is none in those of another one', async () => {
  const { next } = v.parse(FilesSchema, (await list({ limit: 1 })).body);
  const other = await client.call('listFiles', {
    connection,
    exportId: 'request-other',
    after: next ?? '',
  });

  expect(other).toMatchObject({ status: 400, body: { field: 'after' } });
  expect(await list({ after: 'x' })).toMatchObject({ status: 400, body: { field: 'after' } });
  expect(await list({ limit: 501 })).toMatchObject({ status: 400, body: { field: 'limit' } });
});

test.each(['running', 'failed', 'halted'] as const)(
  'gives no file of an export that is %s',
  async (status) => {
    const state = await put(status, `request-${status}`);
    await world.store(manifestKey(state), '{"parts":[]}');

    expect(await list({ exportId: `request-${status}` })).toMatchObject({
      status: 409,
      body: { code: 'not-completed', exportStatus: status },
    });
  },
);

test('gives no file of an export that waits for its turn', async () => {
  const queued = { list: 'invoices', exportId: 'request-queued' };
  await world.ledger.writeLine(lineOf(connection, {}, queued), undefined);

  expect(await list({ exportId: 'request-queued' })).toMatchObject({
    status: 409,
    body: { code: 'not-completed', exportStatus: 'queued' },
  });
});

test('says that the files are gone when S3 has deleted them', async () => {
  await put('completed', 'request-expired');

  expect(await list({ exportId: 'request-expired' })).toMatchObject({
    status: 410,
    body: { code: 'files-gone', detail: expect.stringContaining('keepExports') },
  });
});

test.each([
  ['names a part of another export', JSON.stringify({ parts: [partOutside()] })],
  ['is not the manifest', '{}'],
  ['is no JSON', 'x'],
])('gives no URL when what is stored as manifest %s', async (name, text) => {
  const id = `request-${name.toLowerCase().replaceAll(' ', '-')}`;
  const state = await put('completed', id);
  await world.store(manifestKey(state), text);

  const answer = await list({ exportId: id });
  expect(answer).toMatchObject({ status: 500, body: { code: 'internal' } });
  expect(answer.text).not.toContain('X-Amz');
});

function partOutside() {
  const key = partKey({ connection: 'other', list: 'customers', exportId }, 1, '0a1b2c3d', 'gzip');
  return { key, customers: 1, storedBytes: 1, sha256: '0'.repeat(64) };
}

test('writes down who asked for which files, and never a URL', async () => {
  await list({ limit: 2 });
  const lines = world.logged.join('');

  expect(lines).toMatch(
    /"Files listed".*"by":"arn:aws:iam::123456789012:user\/ada","exportId":"request-0123456789abcdef0123","files":2,"from":0/,
  );
  expect(lines).not.toMatch(/X-Amz|Signature=|https?:\/\//);
});

test('gives no file to somebody unknown, and none of what is not there', async () => {
  const unknown = await list({}, { authorizer: { jwt: { claims: {} } } });
  expect(unknown).toMatchObject({ status: 403, body: { code: 'unknown-caller' } });
  expect(unknown.text).not.toContain('X-Amz');
  for (const missing of [{ exportId: 'request-none' }, { connection: 'other' }]) {
    expect(await list(missing)).toMatchObject({ status: 404, body: { code: 'unknown-export' } });
  }
});

test('gives every answer that the document has, and no other', async () => {
  expect((await list({}, { method: 'POST' })).headers['allow']).toBe('GET');
  const given = [...client.seen].map((answer) => answer.split(' ').slice(0, 2).join(' '));

  expect([...new Set(given)].sort()).toEqual(
    documentedAnswers(({ tags }) => tags.includes('files')),
  );
});
