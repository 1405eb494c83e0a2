import { defined } from '../defined.ts';
import type { CompletedExport } from '../exports/describe-export.ts';
import { storeJson } from '../exports/store-objects.ts';
import { folderOf, parseManifest, type StoredManifest } from '../exports/stored-manifest.ts';
import type { Invocation } from '../steps/step-item.ts';
import { beginComparison, leaveComparison } from './begin-comparison.ts';
import type { ChangeBase, ChangeState, ComparedExport } from './change-state.ts';
import { type ChangesSummary, changesSummaryKey } from './changes-summary.ts';
import { comparedBy, whyNotComparable, whyNotSince } from './comparable.ts';
import { compareRecords } from './compare-records.ts';
import { type ComparePorts, changesFolder } from './compared-exports.ts';
import { type ComparisonResult, type EndedComparison, endComparison } from './end-comparison.ts';
import type { ChangePorts } from './ports.ts';
import { type Finding, summaryOf } from './summary-of.ts';

/** What a comparison needs from outside. Every call may throw for an outage: then the message comes back. */
interface ComparisonPorts extends ComparePorts {
  readonly changes: ChangePorts;
}

interface ComparisonTerms extends Pick<EndedComparison, 'settings' | 'historyDays'> {
  readonly invocation: Invocation;
}

export type Comparison =
  | { readonly kind: 'compared'; readonly state: ChangeState }
  /** Before this call. */
  | { readonly kind: 'known'; readonly state: ChangeState }
  /** Goes on with the next invocation. */
  | { readonly kind: 'unfinished' }
  /** Another comparison of the list, or what it tells, comes first. */
  | { readonly kind: 'wait'; readonly seconds: number }
  /** Nothing is said about an export that is not proven complete. */
  | { readonly kind: 'unproven' }
  /** A newer export was accepted, and its changes have those of this one in them. */
  | { readonly kind: 'overtaken' };

/**
 * Compares a complete export with the last one of its list whose changes were accepted, writes the files of changes and
 * their summary, and has it told. The export and its report are never touched. Every call of it does the same, also a
 * repeated one, one at the same time and one that goes on after a crash.
 */
export async function compareExport(
  ports: ComparisonPorts,
  told: CompletedExport,
  terms: ComparisonTerms,
): Promise<Comparison> {
  const manifest = await readManifest(ports, told.manifestKey);
  if (manifest?.completeness.verdict !== 'complete') return { kind: 'unproven' };
  const compared = comparedExport(told, manifest);
  const begun = await beginComparison(ports.changes, compared, terms.invocation);
  if (begun.kind !== 'compare') {
    // It may have begun before, and nobody goes on with it.
    if (begun.kind !== 'wait') await removeWork(ports, told.manifestKey);
    return begun.kind === 'done' ? { kind: 'known', state: begun.state } : begun;
  }
  let state: ChangeState | undefined;
  try {
    const finding = await compareSince(ports, manifest, told.manifestKey, begun.base);
    if (finding === undefined) return { kind: 'unfinished' };
    const { settings, historyDays } = terms;
    const result = await storeSummary(
      ports,
      compared,
      summaryOf(manifest, finding, settings),
      finding,
    );
    state = await endComparison(ports.changes, { told: compared, result, settings, historyDays });
  } finally {
    // Without it the next invocation would wait until this one is over for good.
    if (state === undefined) await leaveComparison(ports.changes, compared, begun.lease);
  }
  // Another export was accepted meanwhile: it is compared again, with that.
  if (state.status === 'outdated') return { kind: 'unfinished' };
  await removeWork(ports, told.manifestKey);
  return { kind: 'compared', state };
}

async function readManifest(
  { store }: ComparePorts,
  key: string,
): Promise<StoredManifest | undefined> {
  const stored = await store.read(key);
  return stored && parseManifest(key, stored.text);
}

function comparedExport(
  { connection, list, exportId, manifestKey }: CompletedExport,
  { startedAt, organizationId }: StoredManifest,
): ComparedExport {
  const startedAtMs = Date.parse(startedAt);
  return { connection, list, exportId, manifestKey, startedAtMs, ...defined({ organizationId }) };
}

/** @returns `undefined` when it goes on with the next invocation. */
async function compareSince(
  ports: ComparePorts,
  now: StoredManifest,
  manifestKey: string,
  base: ChangeBase | undefined,
): Promise<Finding | undefined> {
  const refused = whyNotComparable(now);
  if (refused !== undefined) return { kind: 'refused', reason: refused };
  if (base === undefined) return { kind: 'first' };
  const first = (why: string): Finding => ({
    kind: 'first',
    passedOver: base.exportId,
    reason: `It is not compared with export ${base.exportId}. ${why}`,
  });
  const before = await readManifest(ports, base.manifestKey);
  if (before === undefined) return first('Its manifest has been deleted.');
  const why = whyNotSince(now, before);
  if (why !== undefined) return first(why);
  // Without any record there is no id, and nothing to find.
  const idKey = comparedBy(now) ?? comparedBy(before) ?? '';
  const exports = { before, now, idKey, folder: folderOf(manifestKey) };
  const compared = await compareRecords(ports, exports);
  switch (compared.kind) {
    case 'unfinished':
      return undefined;
    case 'unusable':
      return compared.side === 'now'
        ? { kind: 'refused', reason: compared.reason }
        : first(compared.reason);
    case 'compared':
      return { ...compared, idKey, since: base };
  }
}

async function storeSummary(
  { store }: ComparePorts,
  { manifestKey }: ComparedExport,
  summary: ChangesSummary,
  finding: Finding,
): Promise<ComparisonResult> {
  const { body, about } = storeJson(summary);
  const { sha256 } = about;
  const stored = { key: changesSummaryKey(folderOf(manifestKey), sha256), sha256 };
  await store.put(stored.key, body, about);
  return { ...finding, counts: summary.counts, summary: stored };
}

/** What comparing stored for itself, with whatever base. */
async function removeWork({ store }: ComparePorts, manifestKey: string): Promise<void> {
  const work = await store.list(changesFolder(folderOf(manifestKey)));
  if (work.length > 0) await store.delete(work.map(({ key }) => key));
}
