import { expect, test } from '@jest/globals';
import type { ListOutcome, Page, ReadOutcome } from '../../../lib/customers-api/outcome.ts';
import { hashRecords } from '../../../lib/customers-api/record-hashes.ts';
import type { LivePageRequest } from '../../../lib/gate/gated-client.ts';
import type { Blocked, NotSent } from '../../../lib/gate/not-sent.ts';
import type { Check } from '../../../lib/writes/operation.ts';
import { runCheck } from '../../../lib/writes/run-check.ts';
import { pageOf } from '../../faults/model-api.ts';
import { NOT_FOUND } from '../../not-found.ts';

const values = { writeId: 'w', params: { id: 'a b' }, bodyText: '{"ref":"R"}' };
const readCheck: Check = {
  kind: 'read',
  resource: 'customers/{params.id}',
  match: { ref: '{body.ref}' },
};
const listCheck: Check = {
  kind: 'list',
  resource: 'customers',
  query: { ref: '{body.ref}' },
  match: { ref: '{body.ref}' },
  maxPages: 2,
};

async function check(
  declared: Check,
  answers: readonly (ReadOutcome | ListOutcome | NotSent)[],
  given = values,
  whyNotAgain?: Blocked | 'no-time',
) {
  const asked: unknown[] = [];
  const rest = [...answers];
  const answer = ({ resource, query }: Pick<LivePageRequest, 'resource' | 'query'>) => {
    asked.push([resource, query]);
    return rest.shift();
  };
  const result = await runCheck(declared, given, {
    client: {
      read: async (request) => {
        const outcome = answer(request);
        if (outcome === undefined || outcome.kind === 'page') throw new Error('No such answer.');
        return outcome;
      },
      listPage: async (request) => {
        const outcome = answer(request);
        if (outcome === undefined || outcome.kind === 'resource')
          throw new Error('No such answer.');
        return outcome;
      },
    },
    firstPage: 1,
    signal: new AbortController().signal,
    whyNotAgain: async () => whyNotAgain,
  });
  return { kind: result.kind, asked };
}

const record = (bodyText: string): ReadOutcome => ({
  kind: 'resource',
  status: 200,
  bodyText,
  idKey: 'id',
});

test.each([
  ['a record that matches', 'match', record('{"ref":"R"}'), 'took-effect'],
  ['another record', 'match', record('{"ref":"S"}'), 'did-nothing'],
  ['no record', 'match', NOT_FOUND, 'did-nothing'],
  ['a record without the member', 'match', record('{"id":1}'), 'unknown'],
  ['a record that is gone', 'match', { ...NOT_FOUND, status: 410 }, 'did-nothing'],
  ['no record', 'absent', NOT_FOUND, 'took-effect'],
  ['a record that matches', 'absent', record('{"ref":"R"}'), 'did-nothing'],
  ['another record', 'absent', record('{"ref":"S"}'), 'unknown'],
  ['no answer', 'match', { kind: 'unavailable', reason: 'timeout', message: '' }, 'unknown'],
  ['a refusal', 'match', { ...NOT_FOUND, status: 400 }, 'unknown'],
  ['a 404 without an error', 'match', { ...NOT_FOUND, hasErrorBody: false }, 'unknown'],
  ['a 404 without an error', 'absent', { ...NOT_FOUND, hasErrorBody: false }, 'unknown'],
  ['a wait', 'match', { kind: 'blocked', untilMs: 9, retryAfterSeconds: 1 }, 'not-sent'],
] as const)('reads %s as proof of %s', async (_, proves, outcome, kind) => {
  expect(await check({ ...readCheck, proves }, [outcome])).toEqual({
    kind,
    asked: [['customers/a%20b', {}]],
  });
});

function page(number: number, refs: readonly string[], total: number | undefined): Page {
  const made = pageOf(total ?? 0, number, 1, total !== undefined);
  const ndjson = Buffer.from(refs.map((ref) => `${JSON.stringify({ ref })}\n`).join(''));
  const { hashes: recordHashes, fingerprint } = hashRecords(ndjson, refs.length, 'ref');
  const recordCount = refs.length;
  // Without texts: those of a long page would be in memory beside its bytes.
  return { ...made, records: [], ndjson, recordCount, recordHashes, fingerprint };
}

/** A page of an API that says how many records there are, and no more. */
function only(number: number, refs: readonly string[], total: number): Page {
  return { ...page(number, refs, total), evidence: { total, warnings: [] } };
}

/** The page with records that lack what the check compares. */
function lacking(made: Page): Page {
  return { ...made, ndjson: Buffer.from('{"id":1}\n'.repeat(made.recordCount)) };
}

test.each([
  ['the record on the first page', [page(1, ['R'], 1)], 'took-effect'],
  ['the record on the second page', [page(1, ['A'], 2), page(2, ['R'], 2)], 'took-effect'],
  ['the whole list without it', [page(1, ['A'], 2), page(2, ['B'], 2)], 'did-nothing'],
  ['an empty list', [page(1, [], 0)], 'did-nothing'],
  ['more pages than allowed', [page(1, ['A'], 3), page(2, ['B'], 3)], 'unknown'],
  ['a list that moved', [page(1, ['A'], 3), page(2, ['B'], 2)], 'unknown'],
  ['pages without a total', [page(1, ['A'], undefined), page(2, [], undefined)], 'unknown'],
  ['fewer pages than the total', [page(1, ['A'], 2), page(2, [], 2)], 'unknown'],
  ['a record less than the total', [only(1, ['A', 'B'], 3), only(2, [], 3)], 'unknown'],
  ['a record more than the total', [only(1, ['A', 'B'], 1), only(2, [], 1)], 'unknown'],
  ['a list that is refused behind its end', [only(1, ['A'], 1), NOT_FOUND], 'did-nothing'],
  ['a record that lacks the member', [lacking(page(1, ['A'], 1))], 'unknown'],
  ['one that lacks it before others', [lacking(page(1, ['A'], 2)), page(2, ['B'], 2)], 'unknown'],
  [
    'the record behind one that lacks it',
    [lacking(page(1, ['A'], 2)), page(2, ['R'], 2)],
    'took-effect',
  ],
  ['the same page twice', [page(1, ['A'], 3), page(2, ['A'], 3)], 'unknown'],
  ['a page that is refused', [page(1, ['A'], 2), NOT_FOUND], 'unknown'],
] as const)('takes %s for what it proves', async (_, pages, kind) => {
  const { kind: found, asked } = await check(listCheck, pages);
  expect(found).toBe(kind);
  expect(asked).toEqual(pages.map(() => ['customers', { ref: 'R' }]));
});

test('asks for no further page when its time is over, and has no result then', async () => {
  expect(await check(listCheck, [page(1, ['A'], 2)], values, 'no-time')).toEqual({
    kind: 'unknown',
    asked: [['customers', { ref: 'R' }]],
  });
});

test.each([
  ['no param', readCheck, { params: {} }],
  ['no member of the body', listCheck, { bodyText: '{}' }],
  ['a member of the body twice', listCheck, { bodyText: '{"ref":"R","ref":"S"}' }],
  ['an object in the body', listCheck, { bodyText: '{"ref":{}}' }],
  // URLSearchParams would look for U+FFFD, and encodeURIComponent throws.
  ['half of a character for the query', listCheck, { bodyText: '{"ref":"\\ud800"}' }],
  ['half of a character for the path', readCheck, { params: { id: '\ud800' } }],
  ['the folder above', readCheck, { params: { id: '..' } }],
  ['a folder above behind a slash', readCheck, { params: { id: '1/../../admin' } }],
  ['nothing for the path', readCheck, { params: { id: '' } }],
])('asks nothing when a placeholder has %s', async (_, declared, given) => {
  expect(await runCheckWithout(declared, { ...values, ...given })).toBe('unknown');
});

test.each([
  ['9007199254740993', '9007199254740993'],
  ['12345678901234567890.50', '12345678901234567890.50'],
  ['1e-400', '1e-400'],
  ['-0', '-0'],
  ['"\\u0052 \\ud83d\\ude00"', 'R \u{1f600}'],
])('looks for the %s of the body as it was sent', async (text, looked) => {
  const bodyText = `{"ref":${text}}`;
  const found = { ...pageOf(1, 1, 1), ndjson: Buffer.from(`${bodyText}\n`) };
  const { kind, asked } = await check(listCheck, [found], { ...values, bodyText });
  expect([kind, asked]).toEqual(['took-effect', [['customers', { ref: looked }]]]);
});

async function runCheckWithout(
  declared: Check,
  given: Parameters<typeof runCheck>[1],
): Promise<string> {
  const never = () => Promise.reject(new Error('Asked.'));
  const { kind } = await runCheck(declared, given, {
    client: { read: never, listPage: never },
    firstPage: 1,
    signal: new AbortController().signal,
    whyNotAgain: never,
  });
  return kind;
}
