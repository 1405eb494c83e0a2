import { LIST_NAME } from '../../lib/names.ts';
import { nameBy, number, option } from '../command-line/option-table.ts';
import { textTable } from '../command-line/text-table.ts';
import { count } from '../command-line/words.ts';
import { commandOf } from './command.ts';
import { openStack } from './stack/open-stack.ts';
import { exportsOf, type ShownExport } from './stack/shown-export.ts';
import { ASKED_OPTIONS, CONNECTION, connectionOf } from './stack/stack-options.ts';

const DEFAULT_LIMIT = 20;
/** Of the route. */
const MAX_PAGE = 100;

export const LIST = commandOf({
  name: 'list',
  what: 'Lists the exports of a connection, newest first. With --json one a line.',
  operands: [CONNECTION],
  options: {
    list: option('NAME', 'only of this list', nameBy(LIST_NAME), 'all lists'),
    limit: option('N', 'so many at most', number([1, 10_000]), DEFAULT_LIMIT),
    ...ASKED_OPTIONS,
  },
  run: async ({ options, operands }, call) => {
    const connection = connectionOf(operands);
    const { api } = await openStack(options, call);
    const { list, limit = DEFAULT_LIMIT } = options;
    const found: ShownExport[] = [];
    const wanted = { list, perPage: MAX_PAGE, most: limit };
    for await (const each of exportsOf(api, connection, wanted)) found.push(each);
    const shown = found.slice(0, limit);
    call.output.rows(shown, () => tableOf(shown));
    return 'done';
  },
});

function tableOf(exports: readonly ShownExport[]): string {
  if (exports.length === 0) return 'There are no exports.\n';
  return textTable<ShownExport>(
    [
      ['Export', ({ exportId }) => exportId],
      ['List', ({ list }) => list],
      ['Status', ({ status }) => status],
      ['Began', (each) => (each.status === 'queued' ? each.queuedAt : each.startedAt).slice(0, 16)],
      ['Records', (each) => (each.status === 'queued' ? '' : count(each.progress.customers))],
      ['Verdict', (each) => (each.status === 'queued' ? '' : (each.completeness?.verdict ?? ''))],
    ],
    exports,
  );
}
