import { expect, test } from '@jest/globals';
import { readInput } from '../../functions/http/request.ts';
import { ROUTES, type RouteSpec } from '../../functions/http/routes.ts';
import { parseChangeEvent } from '../../functions/messages/change-event.ts';
import { parseChangeMessage } from '../../functions/messages/change-message.ts';
import { parseFanOutMessage } from '../../functions/messages/fan-out-message.ts';
import { parseWakeUp } from '../../functions/messages/wake-up.ts';
import { parseQueuedWrite } from '../../functions/messages/write-requested.ts';
import {
  ENVIRONMENT,
  type EnvironmentName,
  readVariable,
} from '../../functions/services/environment.ts';
import { COMMANDS } from '../../infra/command/commands.ts';
import type { Option } from '../../infra/command-line/option-table.ts';
import { readCommandLine } from '../../infra/command-line/usage.ts';
import { START_USAGE } from '../../infra/local/start/start-options.ts';
import { SettingError } from '../../lib/errors.ts';

/** What a person or a program may have put there by mistake. `canary` stands for what must not be shown. */
const HOSTILE_TEXTS = [
  ...[
    '',
    ' ',
    'canary',
    'a\u0000b',
    '\u001b[31mcanary',
    '\ud800',
    'NaN',
    'Infinity',
    '-1',
    '1e999',
  ],
  ...['null', 'true', '1', '"canary"', '[]', '[{}]', '{}', '{', '{"canary":1}', '{"__proto__":{}}'],
  ...['{"constructor":1}', '{"v":1,"v":1}', '{"v":"canary"}', '{"v":1}', 'x'.repeat(100_000)],
  '['.repeat(50_000),
];

const OPTIONS = [...COMMANDS.map(({ usage }) => usage), START_USAGE].flatMap((usage) =>
  Object.entries<Option<unknown>>(usage.options).map(([name, option]) => ({
    program: usage.name,
    name,
    option,
    usage,
  })),
);

/** Whether it was read; else what is said of it. */
function readBy(usage: (typeof OPTIONS)[number]['usage'], args: readonly string[]): unknown {
  const operands = (usage.operands ?? []).map(() => 'demo');
  try {
    return readCommandLine(usage, [...operands, ...args]) !== 'help';
  } catch (error) {
    return error instanceof SettingError ? error.message : error;
  }
}

test.each(OPTIONS)('$program reads --$name, or says by its name what is wrong', (each) => {
  const { name, option, usage } = each;
  const named = expect.stringMatching(`^(Command line: )?--${name}\\b`);
  if (option.value === undefined) {
    expect(readBy(usage, [`--${name}=canary`])).toEqual(named);
    expect(readBy(usage, [`--${name}`, `--${name}`])).toBe(true);
    return;
  }
  expect(readBy(usage, [`--${name}`])).toEqual(named);
  expect(readBy(usage, [`--${name}`, '--json'])).toEqual(named);
  for (const text of HOSTILE_TEXTS) {
    const said = readBy(usage, [`--${name}=${text}`]);
    if (said !== true) expect(said).toEqual(named);
    expect(readBy(usage, [`--${name}=${text}`, `--${name}=${text}`])).toEqual(named);
  }
});

const PATH = { connection: 'demo', exportId: 'demo', writeId: 'demo', list: 'demo' };
const routes: readonly (readonly [string, RouteSpec])[] = Object.entries(ROUTES);

test.each(routes)('the route %s says by its name what it does not take', (_, route) => {
  const request = { path: PATH, query: {}, headers: {}, body: '' };
  const problemOf = (given: object) => {
    const read = readInput(route.input, { ...request, ...given });
    return read.kind === 'problem' ? read : undefined;
  };

  for (const name of ['unknown', 'constructor', '__proto__']) {
    const query = Object.defineProperty({}, name, { value: '1', enumerable: true });
    const body = `{${JSON.stringify(name)}:1}`;
    expect(problemOf({ query })).toMatchObject({
      code: 'invalid-request',
      members: { field: expect.any(String) },
    });
    expect(problemOf({ body })).toMatchObject({
      code: 'invalid-request',
      members: { field: expect.any(String) },
    });
  }
  for (const body of HOSTILE_TEXTS) {
    const problem = problemOf({ body });
    if (problem === undefined) expect(body.trim().replace('{}', '')).toBe('');
    expect(problem?.detail ?? '').not.toMatch(/[\u0000-\u001f]/);
  }
});

const PARSERS = {
  parseChangeEvent,
  parseChangeMessage,
  parseFanOutMessage: (text: string) => parseFanOutMessage(text),
  parseQueuedWrite: (text: string) => parseQueuedWrite(text, 'demo'),
  parseWakeUp,
};

test.each(Object.entries(PARSERS))(
  '%s says why it cannot read a message, and shows nothing of it',
  (_, parse) => {
    for (const text of HOSTILE_TEXTS) {
      const parsed = parse(text);

      expect(parsed.kind).toBe('malformed');
      expect('reason' in parsed && parsed.reason).toMatch(/^(Not [^:]+|[\w.-]+): .{10,}\.$/);
      expect(JSON.stringify(parsed).replaceAll('"canary"', '')).not.toMatch(/:\s*canary/);
    }
  },
);

const variables = Object.entries(ENVIRONMENT);

test.each(variables)('without the variable %s a function says its name', (name, variable) => {
  const isName = (text: string): text is EnvironmentName => Object.hasOwn(ENVIRONMENT, text);
  for (const given of [{}, { [variable]: '' }, { [variable]: undefined }]) {
    expect(() => isName(name) && readVariable(name, given)).toThrow(`${variable}: expected`);
  }
});
