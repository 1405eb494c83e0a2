import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { refuseKeyOutput } from '../../../functions/services/refuse-key-output.ts';
import { CustomersError, SettingError } from '../../../lib/errors.ts';
import type { Surroundings } from '../../command/surroundings.ts';
import { askKey } from '../../command-line/ask-key.ts';
import { DiskError, TEMPORARY, writingTo } from '../../command-line/disk-error.ts';
import { problemOfOption, withOptionNames } from '../../command-line/option-table.ts';
import { prepareFolder } from '../../command-line/out-folder.ts';
import { reasonHere } from '../../command-line/reason-here.ts';
import { helpOf } from '../../command-line/usage.ts';
import { servedLines } from '../http/served-lines.ts';
import type { LocalStack } from '../local-stack.ts';
import { beginRun, type Run } from './begin-run.ts';
import { type ExportedApi, startDemoApi } from './demo-api.ts';
import { requireConnection, UnreachedApiError } from './first-connection.ts';
import { ASSEMBLY_CACHE, keptAssembly } from './kept-assembly.ts';
import { printedResult } from './print-result.ts';
import { createProgress, type Progress, troubleIn } from './progress.ts';
import { jsonOf, type RunExport, type RunResult, runResultOf } from './run-result.ts';
import { seenByApi } from './seen-by-api.ts';
import { type ServedOperations, servedOperations } from './served-operations.ts';
import {
  OPTIONS_OF_SETTINGS,
  parseStartOptions,
  START_OPTIONS,
  START_USAGE,
  type StartOptions,
} from './start-options.ts';
import { ADDRESS_IN_SECRET, stackContext, synthesize } from './synthesize.ts';
import { writeReports } from './write-reports.ts';

const EXIT = { completed: 0, notCompleted: 1, usage: 2, interrupted: 130 } as const;

interface Call {
  readonly options: StartOptions;
  readonly served: ServedOperations;
  readonly lists: readonly string[];
  readonly progress: Progress;
  readonly surroundings: StartSurroundings;
}

/** What `npm start` finds around it; a test gives it others. */
interface StartSurroundings
  extends Pick<Surroundings, 'stdout' | 'stderr' | 'stdin' | 'environment' | 'interrupt'> {
  /** Options of the simulated API, after its own. @default - none */
  readonly demoOptions?: readonly string[];
}

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
async function start(call: Call): Promise<number> {
  const { surroundings, options } = call;
  const { baseUrl } = options;
  const ask = () => askKey(surroundings.interrupt, surroundings);
  const own = baseUrl === undefined ? undefined : { baseUrl, key: await ask() };
  const startedAtMs = Date.now();
  const temporary = tmpdir();
  const run = await beginRun(temporary);
  try {
    return await writingTo(temporary, TEMPORARY, () => startIn(run, call, own, startedAtMs));
  } finally {
    await run.end();
  }
}

async function startIn(
  run: Run,
  call: Call,
  own: ExportedApi | undefined,
  startedAtMs: number,
): Promise<number> {
  const { demoOptions } = call.surroundings;
  const starting = own
    ? Promise.resolve(own)
    : startDemoApi({ ...call.options, demoOptions }, run.watch);
  try {
    const [api, assembly] = await prepared(run, call, starting, own?.baseUrl);
    return await runStack(run, call, { api, assembly, startedAtMs });
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
  call: Call,
  api: Promise<ExportedApi>,
  ownBaseUrl: string | undefined,
) {
  const stop = new AbortController();
  const signal = AbortSignal.any([call.surroundings.interrupt.signal, stop.signal]);
  try {
    return await Promise.all([
      api,
      assemblyFor(run, call, { api, signal }),
      loadStack(),
      ownBaseUrl === undefined ? undefined : requireConnection(ownBaseUrl, signal),
    ]);
  } finally {
    stop.abort();
  }
}

/** The folder of the synthesized stack, which is kept for the next start. */
async function assemblyFor(
  { watch }: Run,
  { options, served, progress }: Call,
  { api, signal }: { readonly api: Promise<ExportedApi>; readonly signal: AbortSignal },
): Promise<string> {
  // A served stack has the address, for the secrets that are stored while it runs. Another one reads it in
  // the secret: each simulated API has a new address, and the same stack serves for all of them.
  const baseUrl = options.serve === undefined ? ADDRESS_IN_SECRET : (await api).baseUrl;
  const { context } = stackContext(options, { baseUrl, operations: served.operations });
  return keptAssembly(ASSEMBLY_CACHE, context, (directory) => {
    progress.say('Synthesizing the stack');
    return synthesize(context, directory, signal, watch);
  });
}

/** The engines and the AWS SDK, which --help and a wrong option need not wait for. */
async function loadStack() {
  const [{ startLocalStack }, { runExports }] = await Promise.all([
    import('../local-stack.ts'),
    import('./run-export.ts'),
  ]);
  return { startLocalStack, runExports };
}

interface Prepared {
  readonly api: ExportedApi;
  readonly assembly: string;
  readonly startedAtMs: number;
}

async function runStack(
  { watch }: Run,
  call: Call,
  { api, assembly, startedAtMs }: Prepared,
): Promise<number> {
  const { options, progress, surroundings } = call;
  const { environment, interrupt, stdout } = surroundings;
  const { startLocalStack, runExports } = await loadStack();
  progress.say('Starting the stack on this machine');
  const caFile = api.caFile ?? environment['NODE_EXTRA_CA_CERTS'];
  const stack = await startLocalStack({
    assembly,
    environment: caFile === undefined ? {} : { NODE_EXTRA_CA_CERTS: caFile },
    onLog: ({ functionName, line }) => {
      const trouble = troubleIn(functionName, line);
      if (trouble !== undefined) progress.note(trouble);
    },
    onDenied: ({ message }) => progress.note(`Refused, as AWS would refuse it. ${message}`),
    onProcess: watch,
    httpPort: options.serve?.port ?? 0,
  });
  try {
    const { lists } = call;
    const exporting = runExports({
      stack,
      options,
      lists,
      api,
      progress,
      signal: interrupt.signal,
    });
    const ended = await Promise.race([exporting, api.lost ?? exporting]);
    // While the stack is served, its secret can be given another version, as the reason says.
    const exports = options.serve === undefined ? ended.map(withReasonHere) : ended;
    progress.end();
    const { connection, changes } = options;
    const elapsedMs = Date.now() - startedAtMs;
    const usage = stack.usage();
    const seen = await seenByApi(exports, api);
    const { earlyRequests } = seen;
    const run = { ...options, api, usage, earlyRequests };
    const reported = await writeReports(seen.exports, run);
    const findings = { connection, changes, usage, elapsedMs, earlyRequests };
    const result = runResultOf({ ...findings, exports: reported });
    stdout.write(options.json ? `${JSON.stringify(jsonOf(result))}\n` : printedResult(result));
    if (options.serve !== undefined) await serve(call, stack, exports);
    return isDone(result) ? EXIT.completed : EXIT.notCompleted;
  } finally {
    await stack.stop();
  }
}

function withReasonHere(each: RunExport): RunExport {
  if (each.state?.reason === undefined) return each;
  return {
    ...each,
    state: { ...each.state, reason: reasonHere(START_OPTIONS, each.state.reason) },
  };
}

/** Whether there is what was asked for. */
function isDone({ status, exports }: RunResult): boolean {
  return status === 'completed' && exports.every(({ changes }) => changes?.since !== null);
}

/** Serves until Ctrl-C, which is the ordinary end here and no interruption. */
async function serve(
  { options, served, surroundings: { stdout, stderr, interrupt } }: Call,
  stack: LocalStack,
  exports: readonly Pick<RunExport, 'list' | 'exportId'>[],
): Promise<void> {
  // With --json the result alone is on stdout.
  const out = options.json ? stderr : stdout;
  const { endpoint } = stack;
  const secretPrefix = String(stack.outputs['SecretPrefix']);
  for (const { url } of stack.httpApis) {
    const { connection } = options;
    const exampleWrite = served.example;
    out.write(servedLines({ url, connection, exports, exampleWrite, endpoint, secretPrefix }));
  }
  if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
}

/** Tells a person what is wrong, and programs by the exit code. */
function explain(error: unknown, { stderr, interrupt }: StartSurroundings): number {
  if (interrupt.signal.aborted) {
    stderr.write('Interrupted. Everything that was started has been ended.\n');
    return EXIT.interrupted;
  }
  if (error instanceof DiskError || error instanceof UnreachedApiError) {
    stderr.write(`${withOptionNames(START_OPTIONS, error.message)}\n`);
    return EXIT.notCompleted;
  }
  if (!(error instanceof CustomersError)) throw error;
  const problem =
    error instanceof SettingError
      ? problemOfOption(START_OPTIONS, error, OPTIONS_OF_SETTINGS)
      : error.message;
  stderr.write(`${problem}\n`);
  return EXIT.usage;
}
