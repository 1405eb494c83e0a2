import { once } from 'node:events';
import type { Surroundings } from '../../command/surroundings.ts';
import { reasonHere } from '../../command-line/reason-here.ts';
import type { SimulatorOptions } from '../../simulator/options.ts';
import { servedLines } from '../http/served-lines.ts';
import { type LocalStack, startLocalStack } from '../local-stack.ts';
import type { Run } from './begin-run.ts';
import type { ExportedApi } from './demo-api.ts';
import { printedResult } from './print-result.ts';
import { type Progress, troubleIn } from './progress.ts';
import { runExports } from './run-export.ts';
import { jsonOf, type RunExport, type RunResult, runResultOf } from './run-result.ts';
import { seenByApi } from './seen-by-api.ts';
import type { ServedOperations } from './served-operations.ts';
import { START_OPTIONS, type StartOptions } from './start-options.ts';
import { writeReports } from './write-reports.ts';

/** What `npm start` was called for. */
export interface StartCall {
  readonly options: StartOptions;
  readonly served: ServedOperations;
  readonly lists: readonly string[];
  readonly progress: Progress;
  readonly surroundings: StartSurroundings;
}

/** What `npm start` finds around it; a test gives it others. */
export interface StartSurroundings
  extends Pick<Surroundings, 'stdout' | 'stderr' | 'stdin' | 'environment' | 'interrupt'> {
  /** Options of the simulated API, in place of its own ones. @default - none */
  readonly demoOptions?: SimulatorOptions;
}

interface Prepared {
  readonly api: ExportedApi;
  readonly assembly: string;
  readonly startedAtMs: number;
}

/** Exports on a stack that is synthesized, tells the result, and serves. @returns Whether there is what was asked for. */
export async function runStack(
  { watch }: Run,
  call: StartCall,
  { api, assembly, startedAtMs }: Prepared,
): Promise<boolean> {
  const { options, progress, surroundings } = call;
  const { environment, interrupt, stdout } = surroundings;
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
    const { signal } = interrupt;
    const ended = await runExports({ stack, options, lists, api, progress, signal });
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
    return isDone(result);
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

function isDone({ status, exports }: RunResult): boolean {
  return status === 'completed' && exports.every(({ changes }) => changes?.since !== null);
}

/** Serves until Ctrl-C, which is the ordinary end here and no interruption. */
async function serve(
  { options, served, surroundings: { stdout, stderr, interrupt } }: StartCall,
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
