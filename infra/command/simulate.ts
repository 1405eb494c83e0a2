import { KEY_SOURCE, SIMULATOR_OPTIONS } from '../simulator/command-line.ts';
import { commandOf } from './command.ts';

/** The simulated API, on its own. */
export const SIMULATE = commandOf({
  name: 'simulate',
  what: 'Starts the customers API on this machine, over TLS, until Ctrl-C.',
  options: SIMULATOR_OPTIONS,
  notes: KEY_SOURCE,
  keySource: KEY_SOURCE,
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
