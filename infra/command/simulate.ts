import { SIMULATOR_OPTIONS, SIMULATOR_USAGE } from '../simulator/command-line.ts';
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
    const program = await import('../simulator/run-simulator.ts');
    await program.runSimulator(options, {
      environment,
      stop: interrupt.signal,
      onStarted: (started) =>
        output.result(program.startedForPrograms(started), () => program.startedLines(started)),
      note: output.note,
    });
    return 'done';
  },
});
