import { expect, test } from '@jest/globals';
import { MemoryLedger } from '../../../infra/command/try/memory-ledger.ts';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import { manifestOf } from '../../../lib/exports/manifest.ts';
import { PartIndex } from '../../../lib/exports/part-index.ts';
import type { PartRecord } from '../../../lib/exports/part-record.ts';
import { partChain, storePart } from '../../../lib/exports/store-part.ts';
import { MemoryStore, sha256Of } from '../../faults/memory-store.ts';
import { END, OWN_IDS, stateOf } from './state-of.ts';

function world() {
  const memory = new MemoryStore();
  const ledger = new MemoryLedger();
  /** What the store was told of each object. */
  const told = new Map<string, object>();
  const store = async (state: ExportState, owner: string) => {
    const stored = Buffer.from(`${owner} ${state.parts.count}`);
    const index = new PartIndex().finish();
    const body = {
      compression: state.plan.compression,
      ...{ stored, sha256: sha256Of(stored), firstPage: 1, pages: 1, records: 2, bytes: 3 },
      index,
    };
    return storePart(
      {
        store: {
          put: async (...args) => {
            const { contentType, contentEncoding } = args[2];
            told.set(args[0], { contentType, contentEncoding });
            return memory.put(...args);
          },
          read: async () => undefined,
          readBytes: async () => new Uint8Array(),
          replace: async () => 'changed',
          list: async () => [],
          delete: async () => undefined,
        },
        ledger: {
          readExport: async () => undefined,
          writeExport: async () => ({ kind: 'written' }),
          listExports: async () => ({ items: [], unreadable: [] }),
          putPart: async (record) => ledger.putPart(record),
          listParts: async () => [],
          readLine: async () => undefined,
          writeLine: async () => ({ kind: 'written' }),
          listLines: async () => ({ items: [], unreadable: [] }),
        },
      },
      state,
      owner,
      body,
    );
  };
  const records = (): readonly PartRecord[] => ledger.listParts('acme', 'request-1');
  return { memory, store, records, told };
}

test('counts only what the chain leads to, whoever else stored the same number', async () => {
  const { memory, store, records } = world();
  const one = await store(stateOf(), 'aaaaaaaa0000');
  await store(stateOf(), 'bbbbbbbb0000');
  const two = await store(one, 'cccccccc0000');
  await store(one, 'dddddddd0000');
  expect(records()).toHaveLength(4);
  const chain = chainOf(two, records());
  expect(chain.map((each) => each.key)).toEqual([
    'exports/connection=acme/list=customers/export=request-1/part-00001-aaaaaaaa.ndjson.gz',
    'exports/connection=acme/list=customers/export=request-1/part-00002-cccccccc.ndjson.gz',
  ]);
  for (const each of chain) {
    expect(sha256Of(memory.objects.get(each.key) ?? Buffer.alloc(0))).toBe(each.sha256);
  }
  expect(partChain(stateOf(), records())).toEqual([]);
});

test.each([
  ['gzip', '.ndjson.gz', {}],
  ['zstd', '.ndjson.zst', { compression: 'zstd' }],
] as const)(
  'says of a part of %s how it is compressed: in its name, to the store and in the manifest',
  async (compression, ending, inManifest) => {
    const { store, records, told } = world();
    const { plan } = stateOf();
    const state = await store(stateOf({ plan: { ...plan, compression } }), 'aaaaaaaa');
    const key = `exports/connection=acme/list=customers/export=request-1/part-00001-aaaaaaaa${ending}`;
    expect(told.get(key)).toEqual({
      contentType: 'application/x-ndjson',
      contentEncoding: compression,
    });
    const completeness = { verdict: 'complete', reasons: [] } as const;
    const parts = chainOf(state, records());
    const [part] = manifestOf({
      state: { ...state, end: END },
      parts,
      ids: OWN_IDS,
      completeness,
    }).parts;
    expect(part).toMatchObject({ key, ...inManifest });
    expect(Object.keys(part ?? {}).includes('compression')).toBe(compression !== 'gzip');
  },
);

function chainOf(state: ExportState, records: readonly PartRecord[]): readonly PartRecord[] {
  const chain = partChain(state, records);
  if (typeof chain === 'number') throw new Error(`Part ${chain} has no record.`);
  return chain;
}

test('writes no manifest over a gap', async () => {
  const { store, records } = world();
  const two = await store(await store(stateOf(), 'aaaaaaaa'), 'bbbbbbbb');
  const withoutFirst = records().filter((each) => each.number !== 1);
  expect(partChain(two, withoutFirst)).toBe(1);
});

test('makes the same manifest of the same state, without anything of the write itself', async () => {
  const { store, records } = world();
  const state = await store(stateOf({ firstMetaText: '{"total": 1.0}' }), 'aaaaaaaa');
  const completeness = { verdict: 'unproven', reasons: ['r'] } as const;
  const make = (own: ExportState) =>
    manifestOf({
      state: { ...own, end: { ...END, atMs: 5 } },
      parts: chainOf(own, records()),
      ids: OWN_IDS,
      completeness,
    });
  expect(make({ ...state, writeToken: 'other', updatedAtMs: 9, step: 7 })).toEqual(make(state));
  expect(make(state)).toMatchObject({
    endedAt: '1970-01-01T00:00:00.005Z',
    firstMeta: '{"total": 1.0}',
    parts: [{ customers: 2, pages: 1 }],
  });
});
