import { expect } from '@jest/globals';
import * as v from 'valibot';
import { defined } from '../../lib/defined.ts';
import {
  type ExportPlace,
  exportPrefix,
  latestKey,
  manifestKey,
} from '../../lib/exports/store-objects.ts';
import { unpacked } from '../unpacked.ts';
import { checkEvent } from './check-event.ts';
import { sha256Of } from './memory-store.ts';
import { recordOf } from './model-api.ts';
import { CONNECTION, type World } from './world.ts';

const ManifestSchema = v.object({
  list: v.string(),
  totals: v.object({ pages: v.number(), customers: v.number(), parts: v.number() }),
  parts: v.array(
    v.object({
      key: v.string(),
      firstPage: v.number(),
      pages: v.number(),
      customers: v.number(),
      bytes: v.number(),
      storedBytes: v.number(),
      sha256: v.string(),
    }),
  ),
  completeness: v.object({ verdict: v.string() }),
});

/** What must hold for every request that was sent, however the run went. */
export function checkRequests(world: World): void {
  expect([...wrongRequests(world), ...wrongAfterAnswers(world)]).toEqual([]);
}

function wrongRequests({ requests }: World): readonly string[] {
  return requests.flatMap(({ atMs, list, page, worker, ...sent }) => {
    const { hadLease, hadCompany, wasBlocked, wasHalted } = sent;
    if (hadLease && !hadCompany && !wasBlocked && !wasHalted) return [];
    const state = JSON.stringify({ hadLease, hadCompany, wasBlocked, wasHalted });
    return [`page ${page} of ${list} at ${atMs} by ${worker.name}: ${state}`];
  });
}

/** A worker that has read an answer keeps to it even before anybody else can know. */
function wrongAfterAnswers({ requests }: World): readonly string[] {
  return requests.flatMap(({ worker, keyVersion, outcome, answeredAtMs = 0 }) => {
    if (outcome === undefined || outcome.kind === 'page') return [];
    const later = requests.filter((each) => each.worker === worker && each.atMs > answeredAtMs);
    const untilMs =
      outcome.kind === 'throttled' ? answeredAtMs + outcome.retryAfterSeconds * 1000 : 0;
    const wrong = later.filter(
      (each) =>
        each.atMs < untilMs ||
        (outcome.kind === 'authentication-failure' && each.keyVersion === keyVersion),
    );
    return wrong.map(
      (each) => `page ${each.page} at ${each.atMs} after ${outcome.kind} at ${answeredAtMs}`,
    );
  });
}

/**
 * A wake-up whose step another worker holds comes back: if it is the same message twice, whoever acknowledged it
 * would delete the one that the other worker still needs.
 */
export function checkReports({ reports }: World): void {
  const left = reports.filter(({ result }) => result === 'held' || result === 'contended');
  expect(left.filter(({ answer }) => answer !== 'retry')).toEqual([]);
}

/** Where the objects of an export are. */
export function placeIn(world: World, exportId: string): ExportPlace {
  const state = world.ledger.readExport(CONNECTION, exportId);
  return state ?? { connection: CONNECTION, list: 'customers', exportId };
}

/** The records of all parts that the manifest names, in their order. */
export function storedRecords(world: World, exportId: string): readonly string[] {
  const stored = world.store.read(manifestKey(placeIn(world, exportId)));
  const manifest = v.parse(ManifestSchema, JSON.parse(stored?.text ?? 'null'));
  return manifest.parts.flatMap((part) => recordsOf(world, part));
}

function recordsOf(world: World, part: ManifestPart): readonly string[] {
  const body = world.store.objects.get(part.key);
  expect(body === undefined ? 'missing' : sha256Of(body)).toBe(part.sha256);
  const text = unpacked(part.key, body ?? Buffer.alloc(0)).toString();
  expect(Buffer.byteLength(text)).toBe(part.bytes);
  expect(body?.length).toBe(part.storedBytes);
  const records = text.split('\n').slice(0, -1);
  expect(records).toHaveLength(part.customers);
  return records;
}

type ManifestPart = v.InferOutput<typeof ManifestSchema>['parts'][number];

/** The manifest names every record of one organization once, and the objects are what it says. */
export function checkCopy(world: World, exportId: string, organization = 'A'): void {
  const place = placeIn(world, exportId);
  const stored = world.store.read(manifestKey(place));
  const manifest = v.parse(ManifestSchema, JSON.parse(stored?.text ?? 'null'));
  const lines: string[] = [];
  let nextPage = 1;
  for (const part of manifest.parts) {
    const records = recordsOf(world, part);
    expect(part.firstPage).toBe(nextPage);
    nextPage += part.pages;
    lines.push(...records);
  }
  expect(lines).toEqual(
    Array.from({ length: world.recordsIn(place.list) }, (_, index) =>
      recordOf(index, organization, place.list),
    ),
  );
  expect(manifest).toMatchObject({ list: place.list, totals: { customers: lines.length } });
  checkObjects(world, place, manifest);
}

function checkObjects(
  world: World,
  place: ExportPlace,
  manifest: v.InferOutput<typeof ManifestSchema>,
): void {
  const counted = [...manifest.parts.map((part) => part.key), manifestKey(place)];
  const listed = world.store.list(exportPrefix(place));
  // No fence reaches a body that was on its way while its process stood still.
  const there = listed.map(({ key }) => key);
  if (world.hasFrozenPut) expect(there).toEqual(expect.arrayContaining(counted));
  else expect([...there].sort()).toEqual([...counted].sort());
  const { list, exportId } = place;
  const latest = world.store.read(latestKey(CONNECTION, list))?.text ?? '';
  expect(JSON.parse(latest)).toMatchObject({ list, exportId, customers: world.recordsIn(list) });
}

/** The export is over in every sense: nothing waits, nothing is left to be told. */
export function checkOver(world: World, exportId: string): void {
  const state = world.ledger.readExport(CONNECTION, exportId);
  // With its reason, if it is over in another way: a run that depends on the machine may not show it again.
  const { status, reason } = state ?? {};
  expect(defined({ status, reason })).toEqual({ status: 'completed' });
  expect(state).toMatchObject({ unannounced: [] });
  expect(state?.lease).toBeUndefined();
  expect(world.ledger.lines.size).toBe(0);
  const completed = world.events.filter(
    (event) => event.kind === 'completed' && event.exportId === exportId,
  );
  expect(new Set(completed.map((event) => event.id)).size).toBe(1);
  for (const event of world.events) checkEvent(event);
}
