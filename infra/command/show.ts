import { option, text } from '../command-line/option-table.ts';
import { commandOf } from './command.ts';
import { openStack } from './stack/open-stack.ts';
import { exportIdOrNewest, exportText, readExport } from './stack/shown-export.ts';
import {
  CONNECTION,
  connectionOf,
  EXPORT,
  exportIdIn,
  STACK_OPTIONS,
} from './stack/stack-options.ts';

/** Shows one export of a deployed integration. */
export const SHOW = commandOf({
  name: 'show',
  what: 'Shows one export: how far it is, what it waits for, its verdict.',
  operands: [CONNECTION, EXPORT],
  options: {
    list: option('NAME', 'the newest of this list', text, 'of any list'),
    ...STACK_OPTIONS,
  },
  run: async ({ options, operands }, call) => {
    const connection = connectionOf(operands);
    const { api } = await openStack(options, call);
    const wanted = { exportId: exportIdIn(operands[1]), list: options.list };
    const shown = await readExport(
      api,
      connection,
      await exportIdOrNewest(api, connection, wanted),
    );
    call.output.result(shown, () => exportText(shown));
    return 'done';
  },
});
