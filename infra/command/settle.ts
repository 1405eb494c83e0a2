import * as v from 'valibot';
import { defined } from '../../lib/defined.ts';
import { SettingError } from '../../lib/errors.ts';
import { number, oneOf, option, text } from '../command-line/option-table.ts';
import { textTable } from '../command-line/text-table.ts';
import { commandOf } from './command.ts';
import { openStack } from './stack/open-stack.ts';
import { readAs } from './stack/shown-export.ts';
import { ASKED_OPTIONS, CONNECTION, connectionOf } from './stack/stack-options.ts';

const WriteSchema = v.looseObject({ writeId: v.string(), status: v.string(), attempt: v.number() });
const UnclearSchema = v.object({ writes: v.array(WriteSchema) });

/** Decides about writes whose outcome nobody knows. */
export const SETTLE = commandOf({
  name: 'settle',
  what: 'Decides about a write whose outcome is not known. Without a write it lists those that wait for a person.',
  operands: [CONNECTION, { name: 'WRITE-ID', what: 'id of the write', isOptional: true }],
  options: {
    decision: {
      ...option('WHAT', 'what happened and is to happen', oneOf(['done', 'retry', 'drop'])),
      choices: [
        'done: it took effect',
        'retry: it did not, send it again',
        'drop: it did not, give it up',
      ],
    },
    attempt: option(
      'N',
      'attempt that was looked at',
      number([0, Number.MAX_SAFE_INTEGER]),
      'the latest',
    ),
    note: option('TEXT', 'kept with the write', text),
    ...ASKED_OPTIONS,
  },
  run: async ({ options, operands }, call) => {
    const connection = connectionOf(operands);
    const { decision, attempt: given, note } = options;
    const [, writeId] = operands;
    if (writeId !== undefined && decision === undefined) {
      throw new SettingError('--decision', 'expected done, retry or drop');
    }
    const orphan = Object.entries({ decision, attempt: given, note }).find(
      ([, value]) => value !== undefined,
    );
    if (writeId === undefined && orphan !== undefined) {
      throw new SettingError(`--${orphan[0]}`, 'it is about one write: add its WRITE-ID');
    }
    const { api } = await openStack(options, call);
    if (writeId === undefined) {
      const { writes } = readAs(UnclearSchema, await api.ask(connection, ['writes']));
      call.output.rows(writes, () => tableOf(writes));
      return 'done';
    }
    const path = ['writes', writeId];
    const seen = given ?? readAs(WriteSchema, await api.ask(connection, path)).attempt;
    const body = defined({ attempt: seen, decision, note });
    const said = await api.ask(connection, [...path, 'settlement'], { method: 'POST', body });
    const settled = readAs(WriteSchema, said);
    call.output.result(settled, () => `${settled.writeId} is ${settled.status}.`);
    return 'done';
  },
});

function tableOf(writes: v.InferOutput<typeof UnclearSchema>['writes']): string {
  if (writes.length === 0) return 'No write waits for a person.';
  return textTable(
    [
      ['Write', ({ writeId }) => writeId],
      ['Attempt', ({ attempt }) => String(attempt)],
      ['Operation', ({ operation }) => String(operation)],
    ],
    writes,
  );
}
