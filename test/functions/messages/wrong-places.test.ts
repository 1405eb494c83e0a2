import { expect, test } from '@jest/globals';
import { parseChangeMessage } from '../../../functions/messages/change-message.ts';
import { parseFanOutMessage } from '../../../functions/messages/fan-out-message.ts';
import { parseStartInput } from '../../../functions/messages/start-input.ts';
import { parseWakeUp } from '../../../functions/messages/wake-up.ts';

const EXPORT_ID = 'request-4f1562c952352aa1f3c6';

/** What each says of a message that is right but for one member more. */
const READERS = {
  'a wake-up': (more: object) =>
    parseWakeUp(JSON.stringify({ v: 1, connection: 'a', exportId: EXPORT_ID, step: 0, ...more })),
  'a message about changes': (more: object) =>
    parseChangeMessage(
      JSON.stringify({ v: 1, connection: 'a', exportId: EXPORT_ID, step: 0, ...more }),
    ),
  'a start of all exports': (more: object) =>
    parseFanOutMessage(JSON.stringify({ v: 1, scheduledTime: '2026-01-01T00:00:00Z', ...more })),
  'a start': (more: object) => {
    try {
      return parseStartInput({ connection: 'a', ...more }, { requestId: 'r', integration: 'i' });
    } catch (error) {
      return { kind: 'malformed', reason: String(error) };
    }
  },
};

test.each(Object.entries(READERS))('%s names an unknown member that is a word', (_, read) => {
  expect(read({ stepp: 1 })).toMatchObject({ reason: expect.stringContaining('stepp') });
});

test.each(
  Object.entries(READERS).flatMap(([what, read]) =>
    ['x'.repeat(100_000), 'two words', '\u0000', '\u001b[31m', '\nERROR'].map(
      (name) => [what, name, read] as const,
    ),
  ),
)('%s with a member %.10j says so in one short line, without it', (_, name, read) => {
  const told = read({ [name]: 1 });

  expect(told).toMatchObject({ kind: 'malformed', reason: expect.stringMatching(/^.{1,400}$/) });
  expect(JSON.stringify(told)).not.toContain(JSON.stringify(name).slice(1, -1));
});
