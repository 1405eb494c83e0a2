import * as v from 'valibot';
import { defined } from '../defined.ts';
import { isHeld, type Lease, LeaseSchema } from '../steps/step-item.ts';
import { maybe, type Stored, text, timeMs } from '../stored.ts';
import {
  type ChangeBase,
  ChangeBaseSchema,
  type ChangeState,
  type ComparedExport,
} from './change-state.ts';

/**
 * The ledger item `changes#<list>`: which export counts as told, and what is under way. One write changes all of it,
 * so one comparison at a time moves the base.
 */
export type ComparisonLine = Stored<typeof ComparisonLineSchema>;

export const ComparisonLineSchema = v.object({
  v: v.literal(1),
  connection: text,
  list: text,
  /** Replaced with every write; each write is conditional on the one before. */
  writeToken: text,
  /** The last export whose changes were accepted; absent until the first. */
  base: maybe(ChangeBaseSchema),
  /** The comparison that is under way, or whose worker is gone. */
  comparing: maybe(
    v.object({
      exportId: text,
      /** When its worker began, or left. */
      sinceMs: timeMs,
      /** Absent between two invocations. */
      lease: maybe(LeaseSchema),
    }),
  ),
  /** The export whose changes are being told in events of their own: until they are, no other is compared. */
  publishing: maybe(text),
  /** The export whose changes wait for a person. */
  held: maybe(text),
});

/** What is decided about. */
export type LineContent = Omit<ComparisonLine, 'v' | 'connection' | 'list' | 'writeToken'>;

/** A message comes back after half an hour at most; whoever is away for longer has lost its message. */
const AWAY_MS = 60 * 60 * 1000;
/** While record events are told: a look is a message and a read. */
const LOOK_AGAIN_SECONDS = 120;

type BeginDecision =
  | { readonly kind: 'begin'; readonly line: LineContent; readonly base: ChangeBase | undefined }
  | { readonly kind: 'wait'; readonly seconds: number }
  /** A newer export was accepted, and its changes have those of this one in them. */
  | { readonly kind: 'overtaken' };

/** Whether the comparison of an export may begin, or go on, under this lease. */
export function decideBegin(
  line: ComparisonLine | undefined,
  told: ComparedExport,
  lease: Lease,
  nowMs: number,
): BeginDecision {
  const { base, comparing, publishing } = line ?? {};
  if (base !== undefined && !isOlder(base, told)) return { kind: 'overtaken' };
  if (publishing !== undefined) return { kind: 'wait', seconds: LOOK_AGAIN_SECONDS };
  if (comparing !== undefined) {
    const { exportId, sinceMs } = comparing;
    const isAway = exportId !== told.exportId && nowMs < sinceMs + AWAY_MS;
    if (isHeld(comparing, nowMs) || isAway) return { kind: 'wait', seconds: LOOK_AGAIN_SECONDS };
  }
  const { exportId } = told;
  const begun = { ...contentOf(line), comparing: { exportId, sinceMs: nowMs, lease } };
  return { kind: 'begin', line: begun, base };
}

/** The line after a worker has left a comparison that goes on with another; `undefined` when it has it no more. */
export function leftBy(line: LineContent, owner: string, nowMs: number): LineContent | undefined {
  if (line.comparing?.lease?.owner !== owner) return undefined;
  const { exportId } = line.comparing;
  return { ...contentOf(line), comparing: { exportId, sinceMs: nowMs } };
}

type AcceptDecision =
  | { readonly kind: 'accept'; readonly line: LineContent }
  /** It is the base already. */
  | { readonly kind: 'accepted' }
  /** A newer one is the base, or is held. */
  | { readonly kind: 'superseded' }
  /** It was compared with what is not the base any more. */
  | { readonly kind: 'outdated' };

/** Whether the changes of an export may be told: only what was compared with the base becomes the base. */
export function decideAccept(line: ComparisonLine | undefined, state: ChangeState): AcceptDecision {
  const { base } = line ?? {};
  if (base?.exportId === state.exportId) return { kind: 'accepted' };
  if (base !== undefined && !isOlder(base, state)) return { kind: 'superseded' };
  const seen = state.since?.exportId ?? state.passedOver;
  if (base?.exportId !== seen) return { kind: 'outdated' };
  const { comparing, held: _decidedByThis } = line ?? {};
  const { exportId, startedAtMs, manifestKey, organizationId } = state;
  return {
    kind: 'accept',
    line: defined({
      base: { exportId, startedAtMs, manifestKey, ...defined({ organizationId }) },
      // One that began meanwhile finds the new base when it ends.
      comparing: comparing?.exportId === exportId ? undefined : comparing,
      publishing: state.status === 'publishing' ? exportId : undefined,
    }),
  };
}

/** What a line had held when it was looked at. */
export interface LookedAt {
  readonly exportId: string;
  /** `undefined` when it is gone. */
  readonly state: ChangeState | undefined;
}

type HoldDecision =
  | AcceptDecision
  /** The line holds this one: which of the two is newer stands in its item. */
  | { readonly kind: 'look'; readonly exportId: string };

/** The same for changes that wait for a person, in the place of older ones. */
export function decideHold(
  line: ComparisonLine | undefined,
  state: ChangeState,
  looked: LookedAt | undefined,
): HoldDecision {
  const decision = decideAccept(line, state);
  if (decision.kind !== 'accept') return decision;
  const { held } = line ?? {};
  if (held !== undefined && held !== state.exportId) {
    if (looked?.exportId !== held) return { kind: 'look', exportId: held };
    const isLate = looked.state?.status === 'held' && isOlder(state, looked.state);
    if (isLate) return { kind: 'superseded' };
  }
  const content = withoutComparing(line ?? {}, state.exportId) ?? contentOf(line);
  return { kind: 'accept', line: { ...content, held: state.exportId } };
}

/** The line without what this export had under way. */
export function overIn(line: LineContent, exportId: string): LineContent {
  const { publishing, held, ...rest } = contentOf(withoutComparing(line, exportId) ?? line);
  return {
    ...rest,
    ...defined({
      publishing: publishing === exportId ? undefined : publishing,
      held: held === exportId ? undefined : held,
    }),
  };
}

/** The line without the comparison of this export; `undefined` when it has none of it. */
export function withoutComparing(line: LineContent, exportId: string): LineContent | undefined {
  const { comparing, ...rest } = contentOf(line);
  return comparing?.exportId === exportId ? rest : undefined;
}

function contentOf(line: LineContent | undefined): LineContent {
  const { base, comparing, publishing, held } = line ?? {};
  return defined({ base, comparing, publishing, held });
}

/** Of two that began in the same millisecond the greater id counts as the later. */
function isOlder(
  one: Pick<ChangeBase, 'startedAtMs' | 'exportId'>,
  than: Pick<ChangeBase, 'startedAtMs' | 'exportId'>,
): boolean {
  if (one.startedAtMs !== than.startedAtMs) return one.startedAtMs < than.startedAtMs;
  return one.exportId < than.exportId;
}
