import { expect, test } from '@jest/globals';
import { newWalk } from '../../../../lib/customers-api/walks/new-walk.ts';
import { openWalk } from '../../../../lib/customers-api/walks/open-walk.ts';
import type { PageAsk, Taken } from '../../../../lib/customers-api/walks/taken.ts';
import type { Walker } from '../../../../lib/customers-api/walks/walker.ts';
import { pageOf } from './moving-list.ts';

const PER_PAGE = 100;

/** A list without totals, so that all its pages are asked for ahead. */
function answerTo(ask: PageAsk | undefined, ids: readonly number[]) {
  const { page, perPage = PER_PAGE } = ask ?? { page: 0 };
  const start = (page - 1) * perPage;
  const records = ids.slice(start, start + perPage).map((id) => `{"id":${id}}`);
  return pageOf(records, page, { hasMore: start + perPage < ids.length });
}

function idsFrom(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

function begun(ids: readonly number[]): Walker {
  const walker = openWalk(newWalk({ firstPage: 1, perPage: PER_PAGE }));
  walker.take(answerTo(walker.ask(0), ids));
  return walker;
}

function reopened(walker: Walker): Walker {
  return openWalk(JSON.parse(JSON.stringify(walker.state)));
}

test('a window that shares nothing is taken behind another one, and what was asked for behind it too', () => {
  const before = idsFrom(1, 380);
  const after = idsFrom(31, 380);
  const walker = begun(before);
  const asks = [0, 1, 2].map((ahead) => walker.ask(ahead));
  const answers = asks.map((ask) => answerTo(ask, after));
  const [held, second, third] = answers;
  if (held === undefined || second === undefined || third === undefined) throw new Error('none');

  expect(walker.take(held)).toEqual({ kind: 'held', next: 'in-front' });
  // Of another walker, since this one remembers what it was asked.
  expect([1, 2, 3].map((ahead) => reopened(walker).ask(ahead))).toEqual(asks);
  const inFront = walker.take(answerTo(walker.ask(0), after));
  expect(inFront).toMatchObject({ kind: 'page', next: 'on', shared: 3 });
  expect(walker.take(held)).toMatchObject({ kind: 'page', next: 'on' });
  expect(walker.take(second)).toMatchObject({ kind: 'page', next: 'on' });
  expect(walker.take(third)).toMatchObject({ kind: 'page', next: 'anew' });
  // The end of the list was asked for before all others were answered, and by another size: it is asked for again.
  const again = walker.ask(0);
  expect(again).toMatchObject({ page: 4, perPage: PER_PAGE });
  expect(walker.take(answerTo(again, after))).toMatchObject({ kind: 'dropped' });
  expect(walker.state).toMatchObject({ counts: { gaps: 1, answers: 6 } });
});

test('a held window is asked for again by who opens the walk again', () => {
  const before = idsFrom(1, 380);
  const after = idsFrom(31, 380);
  const walker = begun(before);
  const first = walker.ask(0);
  walker.take(answerTo(first, after));

  const again = reopened(walker);
  expect([0, 1, 2].map((ahead) => again.ask(ahead))).toEqual(
    [0, 1, 2].map((ahead) => walker.ask(ahead)),
  );
  expect(again.ask(1)).toEqual(first);
});

test('a list that moved further than windows in front can bridge is searched', () => {
  const walker = begun(idsFrom(1, 2_000));
  const kinds: Taken['kind'][] = [];
  const later = idsFrom(901, 2_000);
  const held = answerTo(walker.ask(0), later);
  // What comes in front of it shares nothing with what was read.
  kinds.push(walker.take(held).kind);
  const taken = walker.take(answerTo(walker.ask(0), later));
  expect([...kinds, taken]).toEqual(['held', { kind: 'dropped', next: 'anew' }]);
  expect(walker.state).toMatchObject({ gap: { tries: 1 }, counts: { gaps: 1 } });
  // Where the list goes on is not known before.
  expect([walker.ask(0), walker.ask(1)]).toEqual([expect.anything(), undefined]);
  expect(walker.state).not.toHaveProperty('held');
});

test('a window is held three times at most', () => {
  const walker = begun(idsFrom(1, 2_000));
  // Answered when 400 more records were in front of the row where it should begin.
  const held = answerTo(walker.ask(0), idsFrom(401, 2_000));
  const kinds: Taken['kind'][] = [];
  for (let turn = 0; turn < 4; turn++) {
    kinds.push(walker.take(held).kind);
    if (kinds.at(-1) === 'held') walker.take(answerTo(walker.ask(0), idsFrom(1, 2_000)));
  }
  expect(kinds).toEqual(['held', 'held', 'held', 'dropped']);
  expect(walker.state).toMatchObject({ counts: { gaps: 1 } });
});
