import { commandOf } from './command.ts';
import { openExport } from './stack/open-export.ts';
import { exportText, readExport } from './stack/shown-export.ts';
import { ASKED_OPTIONS, CONNECTION, EXPORT, NEWEST_OF } from './stack/stack-options.ts';

export const SHOW = commandOf({
  name: 'show',
  what: 'Shows one export: how far it is, what it waits for, its verdict.',
  operands: [CONNECTION, EXPORT],
  options: {
    list: NEWEST_OF,
    ...ASKED_OPTIONS,
  },
  run: async ({ options, operands }, call) => {
    const shown = await readExport(await openExport(operands, options, call));
    call.output.result(shown, (width) => exportText(shown, width));
    return 'done';
  },
});
