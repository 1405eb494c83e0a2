import * as v from 'valibot';
import { SettingError } from '../../lib/errors.ts';
import { option, text } from '../command-line/option-table.ts';
import { commandOf } from './command.ts';
import { openStack } from './stack/open-stack.ts';
import { readAs } from './stack/shown-export.ts';
import { ASKED_OPTIONS, CONNECTION, connectionOf } from './stack/stack-options.ts';

const GateSchema = v.looseObject({});

/** Ends a wait that the API asked for. */
export const OPEN_GATE = commandOf({
  name: 'open-gate',
  what: 'Ends a wait that the API asked for and that nobody accepts. Look first at what asked for it: show says of each export that waits until when.',
  operands: [CONNECTION],
  options: {
    reason: option('TEXT', 'why, kept with the gate; needed', text),
    ...ASKED_OPTIONS,
  },
  run: async ({ options, operands }, call) => {
    const connection = connectionOf(operands);
    const { reason } = options;
    if (reason === undefined) throw new SettingError('--reason', 'expected why the gate is opened');
    const { api } = await openStack(options, call);
    const said = await api.ask(connection, ['gate', 'opening'], {
      method: 'POST',
      body: { reason },
    });
    const gate = readAs(GateSchema, said);
    call.output.result(
      gate,
      () => `The gate of ${connection} is open. What waited for it goes on.`,
    );
    return 'done';
  },
});
