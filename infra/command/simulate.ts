import { SettingError } from '../../lib/errors.ts';
import { namedByOption } from '../command-line/option-table.ts';
import {
  OPTIONS_OF_SETTINGS,
  SIMULATOR_OPTIONS,
  SIMULATOR_USAGE,
} from '../simulator/command-line.ts';
import { commandOf } from './command.ts';

const { what, notes = '' } = SIMULATOR_USAGE;

/** The simulated API, on its own: `npm run simulator` for who has the package alone. */
export const SIMULATE = commandOf({
  name: 'simulate',
  what,
  options: SIMULATOR_OPTIONS,
  notes,
  run: async ({ options }, { output, environment, interrupt }) => {
    // It makes names and certificates, which no other command needs to load.
    const { runSimulator, startedLines } = await import('../simulator/run-simulator.ts');
    try {
      await runSimulator(options, {
        ownKey: environment['CUSTOMERS_API_KEY'] || undefined,
        stop: interrupt.signal,
        onStarted: (started) => {
          const { simulator, caFile } = started;
          const forPrograms = { url: simulator.url, ca: caFile, pid: process.pid };
          output.result(forPrograms, () => startedLines(started));
        },
        note: output.note,
      });
      return 'done';
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
      throw namedByOption(SIMULATOR_OPTIONS, error, OPTIONS_OF_SETTINGS);
    }
  },
});
