import * as v from 'valibot';
import { SettingError } from '../../lib/errors.ts';
import { flag, option, text } from '../command-line/option-table.ts';
import { commandOf } from './command.ts';
import { openStack } from './stack/open-stack.ts';
import { readAs } from './stack/shown-export.ts';
import {
  ASKED_OPTIONS,
  CONNECTION,
  connectionOf,
  EXPORT,
  exportIdIn,
} from './stack/stack-options.ts';

const CancelledSchema = v.looseObject({ exportId: v.string(), status: v.string() });

export const CANCEL = commandOf({
  name: 'cancel',
  what: 'Ends an export that runs, waits or is halted.',
  operands: [
    CONNECTION,
    { ...EXPORT, what: 'id of the export, as list shows it', isOptional: false },
  ],
  options: {
    reason: option('TEXT', 'why, kept with the export; needed', text),
    'remove-parts': flag('also removes what is stored of it'),
    ...ASKED_OPTIONS,
  },
  run: async ({ options, operands }, call) => {
    const connection = connectionOf(operands);
    const exportId = exportIdIn(operands[1]) ?? '';
    const { reason } = options;
    if (reason === undefined)
      throw new SettingError('--reason', 'expected why the export is cancelled');
    const { api } = await openStack(options, call);
    const parts = options['remove-parts'] === true ? 'remove' : 'keep';
    const path = ['exports', exportId, 'cancel'];
    const said = await api.ask(connection, path, { method: 'POST', body: { reason, parts } });
    const cancelled = readAs(CancelledSchema, said);
    call.output.result(cancelled, () => `${cancelled.exportId} is ${cancelled.status}.`);
    return 'done';
  },
});
