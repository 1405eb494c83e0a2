import { expect, jest, test } from '@jest/globals';
import * as v from 'valibot';
import { parseChangeEvent } from '../../../functions/messages/change-event.ts';
import { eachChange } from '../../../functions/middleware/each-change.ts';
import { eventChain } from '../../../functions/middleware/event-chain.ts';
import type { ChangeEvent, RecordAddress } from '../../../lib/changes/change-event.ts';
import type { EventClaim } from '../../../lib/changes/handle-once.ts';
import { SettingError } from '../../../lib/errors.ts';
import { memoryEventStore } from '../../lib/changes/memory-event-store.ts';
import { changeEvent, RECORD, toldChange } from '../messages/told-change.ts';
import { lambdaContext } from './lambda-context.ts';
import { recordedLog } from './recorded-log.ts';

/** The messages as `queueChain` hands them over. */
function messagesOf(...given: Parameters<typeof changeEvent>[0][]) {
  const messages = given.map((each, index) => {
    const parsed = parseChangeEvent(changeEvent(each));
    if (parsed.kind === 'malformed') throw new Error(parsed.reason);
    return { messageId: `m${index}`, value: parsed.value };
  });
  return { messages };
}

function context() {
  const { log, lines } = recordedLog();
  return { ...lambdaContext(), log, lines };
}

const answersOf = (results: readonly { readonly answer: unknown }[]) =>
  results.map(({ answer }) => answer);

test('handles each event once, and one that throws comes back without its neighbours', async () => {
  const seen: string[] = [];
  const handler = eachChange({ store: memoryEventStore(Date.now) }, async ({ id }) => {
    seen.push(id);
    if (id === 'throws' && seen.length < 4) throw new Error('no');
    return 'acknowledge';
  });
  const batch = messagesOf({ id: 'a' }, { id: 'throws' }, { id: 'a' }, { id: 'b' });

  const first = await handler(batch, context());
  expect(answersOf(first)).toEqual(['acknowledge', 'retry', 'acknowledge', 'acknowledge']);
  expect(seen).toEqual(['a', 'throws', 'b']);

  const second = await handler(batch, context());
  expect(answersOf(second)).toEqual(['acknowledge', 'acknowledge', 'acknowledge', 'acknowledge']);
  expect(seen).toEqual(['a', 'throws', 'b', 'throws']);
});

test('claims an event until the invocation is over', async () => {
  const claims: EventClaim[] = [];
  const store = {
    ...memoryEventStore(Date.now),
    claim: async (claim: EventClaim) => {
      claims.push(claim);
      return 'busy' as const;
    },
  };
  const handler = eachChange({ store }, () => Promise.reject(new Error('is not called')));
  const at = context();

  expect(answersOf(await handler(messagesOf({}), at))).toEqual(['retry']);
  const leftMs = (claims[0]?.untilMs ?? 0) - Date.now();
  expect(leftMs).toBeGreaterThan(59_000);
  expect(leftMs).toBeLessThanOrEqual(60_000);
  expect(at.lines.join('')).not.toContain('Message failed');

  // Two deliveries at the same time must not pass for one whose answer was lost.
  await handler(messagesOf({}), at);
  const tokens = claims.map(({ token }) => token);
  expect(new Set(tokens).size).toBe(2);
});

test.each([{ requeueAfterSeconds: 5 }, { deadLetterReason: 'No.' }, 'retry'] as const)(
  'an event that is answered with %j is handled again when it comes again',
  async (answer) => {
    const answers = [answer, 'acknowledge'] as const;
    let calls = 0;
    const store = memoryEventStore(Date.now);
    const handler = eachChange({ store }, async () => answers[calls++] ?? 'retry');

    expect(answersOf(await handler(messagesOf({}), context()))).toEqual([answer]);
    expect(answersOf(await handler(messagesOf({}), context()))).toEqual(['acknowledge']);
    expect(calls).toBe(2);
  },
);

test('what was handled is acknowledged although the store is down afterwards, and the log says so', async () => {
  const store = memoryEventStore(Date.now, (place) => {
    if (place === 'before done') throw new Error('down');
  });
  const at = context();
  const handler = eachChange({ store }, async () => 'acknowledge');

  expect(answersOf(await handler(messagesOf({}), at))).toEqual(['acknowledge']);
  expect(at.lines.join('')).toContain('Store of events not reached');
});

test('without a store every delivery is handled, and its answer holds', async () => {
  let calls = 0;
  const handler = eachChange({ store: 'none' }, async () => {
    calls += 1;
    return calls === 1 ? 'retry' : 'acknowledge';
  });
  const results = await handler(messagesOf({}, {}), context());

  expect(calls).toBe(2);
  expect(answersOf(results)).toEqual(['retry', 'acknowledge']);
});

async function seenBy(
  options: Omit<Parameters<typeof eachChange>[0], 'store'>,
  given: Parameters<typeof changeEvent>[0] = {},
) {
  const seen: ChangeEvent[] = [];
  const handler = eachChange({ store: 'none', ...options }, async (change) => {
    seen.push(change);
    return 'acknowledge';
  });
  await handler(messagesOf(given), context());
  const [change] = seen;
  if (change === undefined) throw new Error('expected a change');
  return change;
}

test('gives the record of the event with every digit, as text and as value', async () => {
  const record = await (await seenBy({})).readRecord();

  expect(record).toMatchObject({
    kind: 'record',
    text: RECORD,
    id: '12345678901234567890',
    value: { id: '12345678901234567890', email: 'a@b.example', score: 1.1 },
  });
});

const schema = v.object({ id: v.string(), email: v.pipe(v.string(), v.email()) });

test('takes an event that EventBridge hands over itself, every digit of it, and lets it come again', async () => {
  const texts: string[] = [];
  const answers = ['retry', 'acknowledge'] as const;
  const handler = eventChain({ parse: parseChangeEvent }).handler(
    eachChange({ store: memoryEventStore(Date.now), schema }, async (change) => {
      const record = await change.readRecord();
      if (record.kind === 'record') texts.push(record.text, record.value.email);
      return answers[texts.length / 2 - 1] ?? 'retry';
    }),
  );
  // As the runtime does before anybody sees the event.
  const event: unknown = JSON.parse(JSON.stringify(changeEvent()));
  const invoke = (): Promise<unknown> =>
    Reflect.apply(handler, undefined, [event, lambdaContext()]);
  const output = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);

  await expect(invoke()).rejects.toMatchObject({ name: 'EventNotHandledError' });
  expect([await invoke(), await invoke()]).toEqual([null, null]);
  output.mockRestore();

  expect(texts).toEqual([RECORD, 'a@b.example', RECORD, 'a@b.example']);
});

test('tells what changed by its kind', async () => {
  expect(await seenBy({}, { kind: 'added' })).toMatchObject({ kind: 'added', after: /./ });
  expect(await seenBy({})).toMatchObject({ kind: 'changed', members: ['email'] });
  expect(await seenBy({}, { kind: 'removed' })).not.toHaveProperty('after');
});

test('gives a value that a schema checked, and a misfit that shows nothing of the record', async () => {
  const values: string[] = [];
  const handler = eachChange({ store: 'none', schema }, async (change) => {
    const record = await change.readRecord();
    // The compiler knows the value by the schema.
    values.push(record.kind === 'record' ? record.value.email : JSON.stringify(record));
    return 'acknowledge';
  });
  const record = RECORD.replace('a@b.example', 'canary');
  await handler(messagesOf({}, { record }), context());

  expect(values).toEqual(['a@b.example', '{"kind":"misfit","path":["email"],"expected":"email"}']);
});

const withoutRecord = () => messagesOf({ record: undefined });

test('reads a record that is not in its event from where it is stored, once', async () => {
  const asked: RecordAddress[] = [];
  const readRecord = async (address: RecordAddress) => {
    asked.push(address);
    return RECORD;
  };
  const texts: unknown[] = [];
  const handler = eachChange({ store: 'none', readRecord }, async (change) => {
    for (const record of await Promise.all([change.readRecord(), change.readRecord()])) {
      texts.push(record.kind === 'record' ? record.text : record.kind);
    }
    return 'acknowledge';
  });
  await handler(withoutRecord(), context());

  expect(texts).toEqual([RECORD, RECORD]);
  expect(asked).toEqual([toldChange().recordAt]);
});

test.each([
  ['nothing', undefined],
  ['another record', RECORD.replace(':123', ':124')],
  [
    'a record with the id as text',
    RECORD.replace('12345678901234567890', '"12345678901234567890"'),
  ],
])('says that a record is gone where there is %s', async (_, stored) => {
  const kinds: string[] = [];
  const handler = eachChange({ store: 'none', readRecord: async () => stored }, async (change) => {
    kinds.push((await change.readRecord()).kind);
    return 'acknowledge';
  });
  await handler(withoutRecord(), context());

  expect(kinds).toEqual(['gone']);
});

test('knows a stored record whose id is escaped otherwise than in the event', async () => {
  const kinds: string[] = [];
  const readRecord = async () => '{"id":"a\\/7"}';
  const handler = eachChange({ store: 'none', readRecord }, async (change) => {
    kinds.push((await change.readRecord()).kind);
    return 'acknowledge';
  });
  await handler(messagesOf({ record: undefined, recordIdJson: '"a/7"' }), context());

  expect(kinds).not.toEqual(['gone']);
  expect(kinds).toHaveLength(1);
});

test('asks for a reader where a record is not in its event', async () => {
  const at = context();
  const handler = eachChange({ store: 'none' }, async (change) => {
    await change.readRecord();
    return 'acknowledge';
  });

  expect(answersOf(await handler(withoutRecord(), at))).toEqual(['retry']);
  expect(at.lines.join('')).toContain('readRecord: expected something that reads records');
});

test.each([
  [{}, 'store'],
  [{ store: 'some' }, 'store'],
  [{ store: { claim: () => {} } }, 'store'],
  [{ store: 'none', schema: {} }, 'schema'],
  [{ store: 'none', readRecord: 1 }, 'readRecord'],
  [{ store: 'none', once: true }, 'once'],
])('%j names the option that is wrong', (options, setting) => {
  const make = () => Reflect.apply(eachChange, undefined, [options, async () => 'acknowledge']);

  expect(make).toThrow(SettingError);
  expect(make).toThrow(`${setting}: `);
});
