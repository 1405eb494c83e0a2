import { tmpdir } from 'node:os';
import { refuseKeyOutput } from '../../../functions/services/refuse-key-output.ts';
import { CustomersError, SettingError } from '../../../lib/errors.ts';
import { CUSTOMERS_LIST } from '../../../lib/exports/list-settings.ts';
import { ApiKey } from '../../../lib/key/api-key.ts';
import { redactorOf } from '../../../lib/key/redaction.ts';
import { CommandError } from '../../command/command-error.ts';
import { addressNotes } from '../../command-line/address-notes.ts';
import { askKey } from '../../command-line/ask-key.ts';
import { DiskError, writingTo } from '../../command-line/disk-error.ts';
import { namedByOption, withOptionNames } from '../../command-line/option-table.ts';
import { prepareFolder } from '../../command-line/out-folder.ts';
import { requireFreePort } from '../../command-line/port.ts';
import { unforeseen } from '../../command-line/printable.ts';
import { reasonHere } from '../../command-line/reason-here.ts';
import { helpOf } from '../../command-line/usage.ts';
import { removeUnusedCode } from '../lambda/compile-cache.ts';
import { beginRun, type Run } from './begin-run.ts';
import { type ExportedApi, startDemoApi } from './demo-api.ts';
import { requireConnection, UnreachedApiError } from './first-connection.ts';
import { ASSEMBLY_CACHE, keptAssembly } from './kept-assembly.ts';
import { createProgress } from './progress.ts';
import type { StartCall, StartSurroundings } from './run-stack.ts';
import { servedOperations } from './served-operations.ts';
import {
  OPTIONS_OF_SETTINGS,
  parseStartOptions,
  START_OPTIONS,
  START_USAGE,
} from './start-options.ts';
import { ADDRESS_IN_SECRET, stackContext, synthesize } from './synthesize.ts';

const EXIT = { completed: 0, notCompleted: 1, usage: 2, interrupted: 130 } as const;

/** Does what `npm start` was called for. @returns The exit code. */
export async function runStart(
  args: readonly string[],
  surroundings: StartSurroundings,
): Promise<number> {
  const { stdout, stderr } = surroundings;
  const progress = createProgress(stderr, Date.now);
  try {
    const options = parseStartOptions(args);
    if (options === 'help') {
      stdout.write(helpOf(START_USAGE));
      return EXIT.completed;
    }
    await prepareFolder(options.out);
    if (options.serve !== undefined) await requireFreePort('--port', options.serve.port);
    const served = await servedOperations(options);
    if (options.baseUrl !== undefined) refuseKeyOutput(surroundings.environment);
    // A wrong setting is reported before anything is started and anybody is asked for the key.
    const { baseUrl = ADDRESS_IN_SECRET } = options;
    const { lists } = stackContext(options, { baseUrl, operations: served.operations });
    return await start({ options, served, lists, progress, surroundings });
  } catch (error) {
    progress.end();
    if (error instanceof UnreachedApiError && args.includes('--json')) {
      stdout.write(`${JSON.stringify(unreachedResult(error))}\n`);
    }
    return explain(error, surroundings);
  }
}

/** There is no export, so there is nothing else to tell. */
function unreachedResult({ reason }: UnreachedApiError) {
  return { status: 'failed', requests: 0, reason: reasonHere(START_OPTIONS, reason) };
}

/** Starts the simulated API, makes the assembly and loads the engines side by side. */
async function start(call: StartCall): Promise<number> {
  const { surroundings, options, served } = call;
  const { baseUrl, connection, settings, out, serve } = options;
  const { operations } = served;
  const { operationsFile } = serve ?? {};
  const given = { baseUrl, connection, ...settings, out, operationsFile, operations };
  const ask = () => askKey(surroundings.interrupt, surroundings, given);
  const own = baseUrl === undefined ? undefined : { baseUrl, key: await ask() };
  const resource = String(options.settings['resource'] ?? CUSTOMERS_LIST);
  if (own !== undefined) {
    const redact = redactorOf([ApiKey.from(own.key)]);
    for (const note of addressNotes(own.baseUrl, resource)) call.progress.note(redact(note));
  }
  const startedAtMs = Date.now();
  const temporary = tmpdir();
  const run = await beginRun(temporary);
  try {
    return await writingTo(temporary, () => startIn(run, call, own, startedAtMs));
  } finally {
    await run.end();
  }
}

async function startIn(
  run: Run,
  call: StartCall,
  own: ExportedApi | undefined,
  startedAtMs: number,
): Promise<number> {
  const { demoOptions } = call.surroundings;
  const starting = own ? Promise.resolve(own) : startDemoApi({ ...call.options, demoOptions });
  try {
    const [api, assembly, { runStack }] = await prepared(run, call, starting, own?.baseUrl);
    const isDone = await runStack(run, call, { api, assembly, startedAtMs });
    return isDone ? EXIT.completed : EXIT.notCompleted;
  } finally {
    const { close } = await starting;
    await close?.();
  }
}

/**
 * All at the same time. Who has mistyped an address learns it while the stack is synthesized, which takes longer than a
 * person waits for that.
 */
async function prepared(
  run: Run,
  call: StartCall,
  api: Promise<ExportedApi>,
  ownBaseUrl: string | undefined,
) {
  const stop = new AbortController();
  const signal = AbortSignal.any([call.surroundings.interrupt.signal, stop.signal]);
  try {
    return await Promise.all([
      api,
      assemblyFor(run, call, { api, signal }),
      // The engines and the AWS SDK, which --help and a wrong option need not wait for.
      import('./run-stack.ts'),
      ownBaseUrl === undefined ? undefined : requireConnection(ownBaseUrl, signal),
    ]);
  } finally {
    stop.abort();
  }
}

/** The folder of the synthesized stack, which is kept for the next start. */
async function assemblyFor(
  { watch }: Run,
  { options, served, progress }: StartCall,
  { api, signal }: { readonly api: Promise<ExportedApi>; readonly signal: AbortSignal },
): Promise<string> {
  // A served stack has the address, for the secrets that are stored while it runs. Another one reads it in
  // the secret: each simulated API has a new address, and the same stack serves for all of them.
  const baseUrl = options.serve === undefined ? ADDRESS_IN_SECRET : (await api).baseUrl;
  const { context } = stackContext(options, { baseUrl, operations: served.operations });
  return keptAssembly(ASSEMBLY_CACHE, context, (directory) => {
    progress.say('Synthesizing the stack');
    const synthesizing = synthesize(context, directory, signal, watch);
    // It takes a moment, and a process of its own synthesizes meanwhile.
    removeUnusedCode();
    return synthesizing;
  });
}

/** Tells a person what is wrong, and programs by the exit code. */
function explain(error: unknown, { stderr, interrupt }: StartSurroundings): number {
  if (interrupt.signal.aborted) {
    stderr.write('Interrupted. Everything that was started has been ended.\n');
    return EXIT.interrupted;
  }
  const isExpected =
    error instanceof DiskError ||
    error instanceof UnreachedApiError ||
    error instanceof CommandError;
  if (isExpected || !(error instanceof CustomersError)) {
    const told = isExpected ? withOptionNames(START_OPTIONS, error.message) : unforeseen(error);
    stderr.write(`${told}\n`);
    return EXIT.notCompleted;
  }
  const { message } =
    error instanceof SettingError
      ? namedByOption(START_OPTIONS, error, OPTIONS_OF_SETTINGS)
      : error;
  stderr.write(`${message}\n`);
  return EXIT.usage;
}
