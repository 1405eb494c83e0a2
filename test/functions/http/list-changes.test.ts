import { afterAll, beforeAll, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { MAX_ANSWER_BYTES } from '../../../functions/http/page-answer.ts';
import type { Change, ChangeKind } from '../../../lib/changes/change.ts';
import type { ChangeState } from '../../../lib/changes/change-state.ts';
import { changesSummaryKey } from '../../../lib/changes/changes-summary.ts';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import { exportPrefix } from '../../../lib/exports/store-objects.ts';
import { changeStateOf } from '../../lib/changes/change-state-of.ts';
import {
  changeOf,
  lineOf as lineOfChange,
  sha256,
  storedChanges,
} from '../../lib/changes/stored-changes.ts';
import { lineOf, stateOf } from '../../lib/exports/state-of.ts';
import { type FilesWorld, startFilesWorld } from './files-world.ts';
import { createOpenApiClient, documentedAnswers } from './openapi-client.ts';

const connection = 'acme';
const exportId = 'request-0123456789abcdef0123';
const KINDS: readonly ChangeKind[] = ['added', 'changed', 'changed', 'removed', 'added'];
const counts = { before: 100, now: 101, added: 2, changed: 2, removed: 1, unchanged: 97 };

let world: FilesWorld;
let client: ReturnType<typeof createOpenApiClient>;
beforeAll(async () => {
  world = await startFilesWorld();
  client = createOpenApiClient(world.askChanges);
  await putCompared(exportId);
});
afterAll(() => world.close());

async function putExport(id: string, own: Partial<ExportState> = {}): Promise<ExportState> {
  const completeness = { verdict: 'complete', reasons: [] } as const;
  const state = stateOf({ connection, exportId: id, status: 'completed', completeness, ...own });
  await world.ledger.writeExport(state, undefined);
  return state;
}

const CHANGES = KINDS.map((kind, number) => changeOf(kind, number));

/** An export that is compared: the changes of a file stand in two blocks. */
async function putCompared(
  id: string,
  own: Partial<ChangeState> = {},
  changes: readonly Change[] = CHANGES,
): Promise<{
  readonly fileKey: string;
  readonly summaryKey: string;
  readonly summaryText: string;
}> {
  const folder = exportPrefix(await putExport(id));
  const { files, bodies } = storedChanges([[changes.slice(0, 3), changes.slice(3)]], folder);
  for (const [key, body] of bodies) await world.store(key, body);
  const [startedAt, endedAt] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:01:00.000Z'];
  const since = { exportId: 'before', startedAt, manifestKey: 'before/manifest.json' };
  const text = `${JSON.stringify({
    ...{ version: 1, connection, list: 'customers', exportId: id, idKey: 'id', startedAt, endedAt },
    ...{ since, state: 'found', counts, removedPercent: 1, maxRemovedPercent: 10, files },
  })}\n`;
  const summary = { key: changesSummaryKey(folder, sha256(text)), sha256: sha256(text) };
  await world.store(summary.key, text);
  const state = changeStateOf({ connection, exportId: id, counts, summary, ...own });
  await world.changes.writeChange(state, undefined);
  return { fileKey: files[0]?.key ?? '', summaryKey: summary.key, summaryText: text };
}

const ChangesSchema = v.object({ changes: v.array(v.unknown()), next: v.nullable(v.string()) });

const list = (values: Readonly<Record<string, string | number>> = {}, more = {}) =>
  client.call('listChanges', { connection, exportId, ...values }, more);

test('gives what became of the comparison, and the changes without their records', async () => {
  const answer = await list();

  expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
  expect(answer.body).toMatchObject({
    ...{ connection, list: 'customers', exportId, status: 'found', counts, next: null },
    since: { exportId: 'before' },
    ...{ eventsPublished: null, reason: null, decision: null },
  });
  const { changes } = v.parse(ChangesSchema, answer.body);
  expect(changes.map((each) => Object(each).change)).toEqual(KINDS);
  expect(answer.text).not.toContain('"record"');
});

test('gives records byte for byte where they are asked for, and every digit of an id', async () => {
  const { text } = await list({ records: 'true', limit: 1 });

  expect(text).toContain(
    '"changes":[{"change":"added","id":90071992547409930,"after":"fedcba9876543210","at":{"key":"part-00001.ndjson.gz","line":1},"record":{"id":90071992547409930,"score":1.00,"note":""}}]',
  );
});

test.each([
  [{}, [0, 1, 2, 3, 4]],
  [{ change: 'added' }, [0, 4]],
  [{ change: 'removed', records: 'true' }, [3]],
])('gives all changes in pages, asked for with %j', async (query, expected) => {
  for (const limit of [1, 2, 5]) {
    const lines: number[] = [];
    let after: string | null = null;
    do {
      const answer = await list({ ...query, limit, ...(after === null ? {} : { after }) });
      const { changes, next } = v.parse(ChangesSchema, answer.body);
      expect(changes.length).toBeLessThanOrEqual(limit);
      lines.push(...changes.map((each) => Object(each).at.line - 1));
      after = next;
    } while (after !== null);

    expect(lines).toEqual(expected);
  }
});

test('an answer stays below what Lambda takes, also with a record that nearly fills it', async () => {
  const overhead = JSON.stringify(lineOfChange(changeOf('added', 0))).length;
  const large = changeOf('added', 0, MAX_ANSWER_BYTES - overhead - 100);
  await putCompared('request-large', {}, [large, ...CHANGES.slice(1)]);

  const { text } = await list({ exportId: 'request-large', records: 'true' });
  expect(JSON.stringify(text).length).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
  expect(text).toContain('"line":1},"record":null}');
  expect(text).toContain('"change":"removed"');
});

test('the place in the changes of one comparison is none in those of another', async () => {
  const { next } = v.parse(ChangesSchema, (await list({ limit: 1 })).body);
  await putCompared('request-other', {}, [...CHANGES].reverse());
  const wrong = { status: 400, body: { field: 'after' } };

  expect(await list({ exportId: 'request-other', after: next ?? '' })).toMatchObject(wrong);
  expect(await list({ after: 'x' })).toMatchObject(wrong);
  // Nor in those of another comparison of the same export.
  const again = await putCompared('request-again');
  const { body } = await list({ exportId: 'request-again', limit: 1 });
  const after = v.parse(ChangesSchema, body).next ?? '';
  const state = await world.changes.readChange(connection, 'request-again');
  const key = `${again.summaryKey}.other`;
  const text = `${again.summaryText}\n`;
  await world.store(key, text);
  await world.changes.writeChange(
    changeStateOf({ ...state, writeToken: 'again', summary: { key, sha256: sha256(text) } }),
    state?.writeToken,
  );
  expect(await list({ exportId: 'request-again', after })).toMatchObject(wrong);
  expect(await list({ exportId: 'request-again', limit: 1 })).toMatchObject({ status: 200 });
});

test.each([
  [{ limit: 0 }, 'limit'],
  [{ limit: 1001 }, 'limit'],
  [{ change: 'gone' }, 'change'],
  [{ records: 'yes' }, 'records'],
  [{ page: 1 }, 'page'],
])('names what is wrong in %j', async (query, field) => {
  expect(await list(query)).toMatchObject({
    status: 400,
    body: { code: 'invalid-request', field },
  });
});

test.each(['publishing', 'published', 'held', 'stopped', 'discarded', 'superseded'] as const)(
  'shows the changes also while they are %s, for a person to look at',
  async (status) => {
    const decided = { decision: 'discard', by: 'ada', atMs: 0 } as const;
    const own = { recordEvents: true, next: 3, reason: 'A file is gone.', decided };
    await putCompared(`request-${status}`, { status, ...own });

    const { body } = await list({ exportId: `request-${status}` });
    expect(body).toMatchObject({
      ...{ status, eventsPublished: 3, reason: 'A file is gone.' },
      decision: { decision: 'discard', by: 'ada', at: '1970-01-01T00:00:00.000Z' },
    });
    expect(v.parse(ChangesSchema, body).changes).toHaveLength(5);
  },
);

const refused = (changesStatus: string, told: string) => ({
  status: 409,
  body: { code: 'not-compared', changesStatus, detail: expect.stringContaining(told) },
});

test('says why an export was not compared, and what to do', async () => {
  await putExport('request-fresh');
  expect(await list({ exportId: 'request-fresh' })).toMatchObject(
    refused('waiting', 'ask again then'),
  );
  await putCompared('request-outdated', { status: 'outdated' });
  expect(await list({ exportId: 'request-outdated' })).toMatchObject(
    refused('waiting', 'ask again'),
  );
  const line = { v: 1, connection, list: 'customers', writeToken: 'line' } as const;
  const base = { exportId: 'newer', startedAtMs: Date.now(), manifestKey: 'newer/manifest.json' };
  await world.changes.writeComparisonLine({ ...line, base }, undefined);
  expect(await list({ exportId: 'request-fresh' })).toMatchObject(
    refused('overtaken', 'A newer export was compared'),
  );
  await putCompared('request-first', { status: 'first' });
  expect(await list({ exportId: 'request-first' })).toMatchObject(
    refused('first', 'The next complete export is compared with it'),
  );
  await putCompared('request-refused', { status: 'refused', reason: 'Two records have one id.' });
  expect(await list({ exportId: 'request-refused' })).toMatchObject(
    refused('refused', 'Two records have one id.'),
  );
});

test.each(['drifted', 'unproven'] as const)(
  'says that an export that is %s is never compared',
  async (verdict) => {
    await putExport(`request-${verdict}`, { completeness: { verdict, reasons: [] } });

    expect(await list({ exportId: `request-${verdict}` })).toMatchObject(
      refused('incomplete', `The verdict of the export is ${verdict}`),
    );
  },
);

test.each(['running', 'failed', 'halted'] as const)(
  'there are no changes of an export that is %s',
  async (status) => {
    await putExport(`request-${status}`, { status });

    expect(await list({ exportId: `request-${status}` })).toMatchObject({
      status: 409,
      body: { code: 'not-completed', exportStatus: status },
    });
  },
);

test('nor of one that waits for its turn, nor of none', async () => {
  const queued = { list: 'invoices', exportId: 'request-queued' };
  await world.ledger.writeLine(lineOf(connection, {}, queued), undefined);

  expect(await list({ exportId: 'request-queued' })).toMatchObject({
    status: 409,
    body: { code: 'not-completed', exportStatus: 'queued' },
  });
  for (const missing of [{ exportId: 'request-none' }, { connection: 'other' }]) {
    expect(await list(missing)).toMatchObject({ status: 404, body: { code: 'unknown-export' } });
  }
});

test('says that the files are gone when S3 has deleted them', async () => {
  const gone = { status: 410, body: { code: 'files-gone' } };
  const { fileKey, summaryKey } = await putCompared('request-gone');
  await world.store(fileKey, undefined);
  expect(await list({ exportId: 'request-gone' })).toMatchObject(gone);
  await world.store(summaryKey, undefined);
  expect(await list({ exportId: 'request-gone' })).toMatchObject(gone);
});

test('gives nothing of a summary or a file that somebody replaced', async () => {
  const failed = { status: 500, body: { code: 'internal' } };
  const one = await putCompared('request-replaced');
  await world.store(one.fileKey, Buffer.from('canary'));
  expect(await list({ exportId: 'request-replaced' })).toMatchObject(failed);
  const two = await putCompared('request-rewritten');
  await world.store(two.summaryKey, `${two.summaryText} `);
  expect(await list({ exportId: 'request-rewritten' })).toMatchObject(failed);
});

test('gives every answer that the document has, and no other', async () => {
  expect((await list({}, { method: 'POST' })).headers['allow']).toBe('GET');
  const given = [...client.seen].map((answer) => answer.split(' ').slice(0, 2).join(' '));

  expect([...new Set(given)].sort()).toEqual(
    documentedAnswers(({ tags }) => tags.includes('changes')),
  );
});
