import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { ChangeStateSchema } from '../../lib/changes/change-state.ts';
import { ExportLineSchema } from '../../lib/exports/export-line.ts';
import { ExportStateSchema } from '../../lib/exports/export-state.ts';
import { listSettingsOf } from '../../lib/exports/list-settings.ts';
import { PartRecordSchema } from '../../lib/exports/part-record.ts';
import { OrganizationSchema } from '../../lib/gate/organization.ts';
import { SampleSchema, showsSame } from '../../lib/gate/organization-sample.ts';
import { parseGatePace } from '../../lib/pace/gate-pace.ts';
import { decideWrite } from '../../lib/writes/decide-write.ts';
import { WriteStateSchema } from '../../lib/writes/write-state.ts';
import { settingsWith } from '../lib/writes/default-settings.ts';
import { pageOf } from './model-api.ts';
import { isOver } from './run-export.ts';
import { CONNECTION, World } from './world.ts';

/**
 * Items that commit b82cf9a0 (2026-11) stored: an export after its first step, of 60 customers, 12 a page, with the files
 * and the gate that it left; a write without a clear answer; changes. Nobody makes it anew: what was stored then stays so.
 */
const FormerSchema = v.object({
  nowMs: v.number(),
  exports: v.array(v.tuple([v.string(), ExportStateSchema])),
  lines: v.array(v.tuple([v.string(), ExportLineSchema])),
  parts: v.array(v.tuple([v.string(), PartRecordSchema])),
  /** In base64. */
  files: v.record(v.string(), v.string()),
  gate: v.object({
    blockedUntilMs: v.number(),
    haltedKeyVersions: v.array(v.string()),
    organization: OrganizationSchema,
    sample: SampleSchema,
    paceText: v.string(),
  }),
  /** Of a list of two customers. */
  smallSample: v.unknown(),
  write: WriteStateSchema,
  change: ChangeStateSchema,
});

const stored: unknown = JSON.parse(
  readFileSync(new URL('./former-version.json', import.meta.url), 'utf8'),
);
const FORMER = v.parse(FormerSchema, stored);

test('an export that the former version began goes on to its end, no row lost or doubled', async () => {
  const world = new World({ customers: 60, latencyMs: 100 });
  const settings = { perPage: 12, walk: 'verified', itemsKey: 'data' } as const;
  world.rules = {
    ...world.rules,
    lists: new Map([['customers', listSettingsOf('customers', settings)]]),
  };
  for (const [name, state] of FORMER.exports) world.ledger.exports.set(name, state);
  for (const [name, line] of FORMER.lines) world.ledger.lines.set(name, line);
  for (const [name, part] of FORMER.parts) world.ledger.parts.set(name, part);
  for (const [key, text] of Object.entries(FORMER.files)) {
    world.store.objects.set(key, Buffer.from(text, 'base64'));
  }
  const { paceText, ...gate } = FORMER.gate;
  const pace = parseGatePace(paceText);
  if (pace === undefined) throw new Error('expected the pace that was learned');
  world.gates.gates.set(CONNECTION, { ...gate, pace });
  await world.runUntil(() => isOver(world), true);

  expect(world.requests.filter(({ atMs }) => atMs < gate.blockedUntilMs)).toEqual([]);
  const manifest = [...world.store.objects].find(([key]) => key.endsWith('/manifest.json'));
  const told: unknown = JSON.parse(Buffer.from(manifest?.[1] ?? '{}').toString());
  expect(told).toMatchObject({
    totals: { customers: 60 },
    ids: { keys: ['id'], repeated: 0 },
    completeness: { verdict: 'complete' },
  });
  // The former version did not keep it.
  expect(told).not.toHaveProperty('itemsKey');
});

test('a write that the former version left without a clear answer is checked', () => {
  const nowMs = FORMER.write.notBeforeMs + 60_000;
  const meaning = { kind: 'open', state: FORMER.write } as const;
  const sending = { nowMs, credential: FORMER.write.credential };

  expect(decideWrite(meaning, { blockedUntilMs: 0 }, sending, settingsWith({}))).toMatchObject({
    kind: 'ready',
    step: { kind: 'check' },
  });
});

test('changes that the former version found are read whole', () => {
  expect(stored).toMatchObject({ change: FORMER.change });
  expect(FORMER.change).toMatchObject({ status: 'found', counts: { added: 1, removed: 1 } });
});

test('a sample that the former version kept is compared with a new key as before', () => {
  const { sample } = FORMER.gate;
  for (const organization of ['A', 'B']) {
    const page = pageOf(60, sample.page, sample.perPage ?? 0, true, organization);
    expect(showsSame(sample, page)).toBe(organization === 'A');
  }
});

test('a sample of two customers that the former version kept counts as none', () => {
  expect(v.is(SampleSchema, FORMER.smallSample)).toBe(false);
});
