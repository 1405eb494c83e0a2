import type { Page } from '../../../../lib/customers-api/outcome.ts';
import { newWalk, type WalkOptions } from '../../../../lib/customers-api/walks/new-walk.ts';
import { openWalk } from '../../../../lib/customers-api/walks/open-walk.ts';
import type { PageAsk, Taken, WalkProof } from '../../../../lib/customers-api/walks/taken.ts';
import type { Walker } from '../../../../lib/customers-api/walks/walker.ts';
import { answerOf, type Mix, type ReadableList, type ServerRule } from './moving-list.ts';

export interface Reading {
  readonly list: ReadableList;
  readonly server: ServerRule;
  readonly mix: Mix;
  readonly random: () => number;
  readonly options: WalkOptions;
  /** Requests under way at the same time; their answers are made in any order. */
  readonly inFlight: number;
  /**
   * Whether the walk is closed and opened again whenever nothing is under way. Who opens a walk has no answers to earlier
   * asks, and the walk does not know of any.
   */
  readonly isReopened?: boolean;
  /** Share of answers after which the walk is opened again, and all that was under way or held is lost. */
  readonly crashes?: number;
}

export interface Result {
  readonly requests: number;
  /** Records that were there from start to end and were not read. */
  readonly missed: number;
  readonly proof?: WalkProof;
  readonly isComplete: boolean;
  readonly refused?: string;
  readonly stateBytes: number;
}

interface InFlight {
  readonly ask: PageAsk;
  answer?: Page | number;
}

const MAX_REQUESTS = 5_000;

/** Reads a list as it changes, as a worker does, and compares what was stored with what was there. */
export function readList(reading: Reading): Result {
  const { list, mix, random, options, crashes = 0 } = reading;
  let walker = openWalk(newWalk(options));
  let inFlight: InFlight[] = [];
  const stored: string[] = [];
  /** Rows that were read again. */
  const again = new Set<number>();
  let requests = 0;
  let stateBytes = 0;
  for (;;) {
    if (requests > MAX_REQUESTS) throw new Error(`no end: ${JSON.stringify(walker.state)}`);
    while (inFlight.length < reading.inFlight) {
      const ask = walker.ask(inFlight.length);
      if (ask === undefined) break;
      inFlight.push({ ask });
      requests++;
    }
    const waiting = inFlight.filter(({ answer }) => answer === undefined);
    const next = waiting[Math.floor(random() * waiting.length)];
    if (next !== undefined) {
      next.answer = answerOf(list, reading.server, next.ask);
      list.change(mix);
    }
    if (inFlight.length === 0) throw new Error(`no ask: ${JSON.stringify(walker.state)}`);
    const head = inFlight[0];
    if (head?.answer === undefined) continue;
    inFlight.shift();
    const { answer } = head;
    const taken =
      typeof answer === 'number'
        ? walker.refused({ status: answer, hasErrorBody: true })
        : walker.take(answer);
    if (taken === undefined) return over({ refused: `status ${String(answer)}` });
    if (taken.kind === 'refused') return over({ refused: taken.message });
    if (typeof answer !== 'number') store(stored, again, answer, taken);
    checkCounted(walker, stored.length);
    stateBytes = Math.max(stateBytes, JSON.stringify(walker.state).length);
    const isLost = crashes > 0 && random() < crashes;
    if (isLost || taken.next === 'anew') inFlight = [];
    else if (taken.next === 'in-front') {
      inFlight = [{ ask: inFront(walker) }, head, ...inFlight];
      requests++;
    }
    if (isLost || (reading.isReopened === true && inFlight.length === 0)) {
      walker = openWalk(JSON.parse(JSON.stringify(walker.state)));
    }
    if (taken.end === undefined) continue;
    const { proof } = taken.end;
    return over({ proof, isComplete: isComplete(proof, stored, again) });
  }

  function over(end: { proof?: WalkProof; isComplete?: boolean; refused?: string }): Result {
    const ids = new Set(stored.map((record) => idOf(record)));
    const missed = [...list.throughout].filter((id) => !ids.has(id)).length;
    return { requests, missed, stateBytes, isComplete: false, ...end };
  }
}

function inFront(walker: Walker): PageAsk {
  const ask = walker.ask(0);
  if (ask === undefined) throw new Error(`no ask in front: ${JSON.stringify(walker.state)}`);
  return ask;
}

function store(stored: string[], again: Set<number>, page: Page, taken: Taken): void {
  if (taken.kind !== 'page') return;
  const skip = new Set(taken.skip);
  for (const [row, record] of page.records.entries()) {
    if (skip.has(row)) continue;
    if (row < (taken.again ?? 0)) again.add(stored.length);
    stored.push(record);
  }
}

function idOf(record: string): number {
  return Number(/"id":(\d+)/.exec(record)?.[1]);
}

/** What a repeat says depends on it, see `RepeatRule`. */
function checkCounted({ state }: Walker, stored: number): void {
  if (state.kind === 'fast' || state.stored === stored) return;
  throw new Error(`${state.stored} records are counted, of ${stored} that were stored`);
}

/** The verdict as an export gives it: by the proof, and by what came more than once. */
function isComplete(
  { by, open, repeats, leastRecords = 0 }: WalkProof,
  stored: readonly string[],
  again: ReadonlySet<number>,
) {
  if (by === undefined || open.length > 0) return false;
  const seen = new Map<number, { readonly row: number; readonly text: string }>();
  for (const [row, text] of stored.entries()) {
    const id = idOf(text);
    const before = seen.get(id);
    seen.set(id, { row, text });
    if (before === undefined || repeats.kind === 'harmless' || again.has(row)) continue;
    const { frontFromRow = Infinity, mayBeEqual = false } = repeats;
    const isFront = frontFromRow > 0 && row >= frontFromRow;
    const isFrontAgain = isFront && (before.row >= frontFromRow || again.has(before.row));
    const isEqual = text === before.text;
    if (!(isEqual ? mayBeEqual || isFrontAgain : row >= frontFromRow)) return false;
  }
  return seen.size >= leastRecords;
}
