import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CustomersError, SettingError } from '../../../lib/errors.ts';
import { outliveClosedOutput } from '../../command-line/closed-output.ts';
import { problemOfOption } from '../../command-line/option-table.ts';
import { servedLines } from '../http/served-lines.ts';
import { type LocalStack, startLocalStack } from '../local-stack.ts';
import { askKey } from './ask-key.ts';
import { firstDifference } from './compare-records.ts';
import { prepareFolder } from './copy-results.ts';
import { type DemoApi, startDemoApi } from './demo-api.ts';
import { printedResult } from './print-result.ts';
import { createProgress } from './progress.ts';
import { runExport } from './run-export.ts';
import { type RunResult, runResultOf } from './run-result.ts';
import { servedOperations } from './served-operations.ts';
import {
  HELP,
  OPTIONS_OF_SETTINGS,
  parseStartOptions,
  START_OPTIONS,
  type StartOptions,
} from './start-options.ts';
import { synthesize } from './synthesize.ts';
import { troubleIn } from './trouble.ts';

const EXIT = { completed: 0, notCompleted: 1, usage: 2, interrupted: 130 } as const;

outliveClosedOutput();
const interrupt = new AbortController();
const progress = createProgress(process.stderr, Date.now);
process.once('SIGINT', () => interrupt.abort());
process.once('SIGTERM', () => interrupt.abort());

try {
  const options = parseStartOptions(process.argv.slice(2));
  if (options === 'help') process.stdout.write(HELP);
  else await start(options);
} catch (error) {
  progress.end();
  process.exitCode = explain(error);
}

async function start(options: StartOptions): Promise<void> {
  await prepareFolder(options.out);
  const demo = options.baseUrl === undefined ? await startDemoApi() : undefined;
  try {
    const key = demo?.key ?? (await askKey(interrupt));
    await runStack(options, demo, key);
  } finally {
    await demo?.close();
  }
}

async function runStack(
  options: StartOptions,
  demo: DemoApi | undefined,
  key: string,
): Promise<void> {
  const startedAtMs = Date.now();
  const { operations, example } = await servedOperations(options);
  const assembly = await mkdtemp(join(tmpdir(), 'customers-stack-'));
  try {
    progress.say('Synthesizing the stack');
    const api = { baseUrl: options.baseUrl ?? demo?.baseUrl ?? '', operations };
    await synthesize(options, api, assembly, interrupt.signal);
    progress.say('Starting the stack on this machine');
    const stack = await startLocalStack({
      assembly,
      environment: certificates(demo),
      onLog: ({ functionName, line }) => {
        const trouble = troubleIn(functionName, line);
        if (trouble !== undefined) progress.note(trouble);
      },
      onDenied: ({ message }) => progress.note(`Refused, as AWS would refuse it. ${message}`),
      httpPort: options.serve?.port ?? 0,
    });
    try {
      const result = await exportOnce(stack, options, demo, key, startedAtMs);
      process.stdout.write(options.json ? `${JSON.stringify(result)}\n` : printedResult(result));
      process.exitCode = result.status === 'completed' ? EXIT.completed : EXIT.notCompleted;
      if (options.serve !== undefined) await serve(stack, options, result.exportId, example);
    } finally {
      await stack.stop();
    }
  } finally {
    await rm(assembly, { recursive: true, force: true });
  }
}

async function exportOnce(
  stack: LocalStack,
  options: StartOptions,
  demo: DemoApi | undefined,
  key: string,
  startedAtMs: number,
): Promise<RunResult> {
  const run = await runExport(stack, options, key, progress, interrupt.signal);
  progress.end();
  const truth = run.manifest === undefined ? undefined : await demo?.customers();
  const isEqual = truth && (await firstDifference(run.partFiles, truth)) === undefined;
  return runResultOf({
    ...run,
    usage: stack.usage(),
    elapsedMs: Date.now() - startedAtMs,
    earlyRequests: await demo?.earlyRequests(),
    matchesApi: isEqual,
  });
}

/** Lasts until Ctrl-C, which ends it as meant and is no interruption. */
async function serve(
  stack: LocalStack,
  options: StartOptions,
  exportId: string,
  exampleWrite: string | undefined,
): Promise<void> {
  // With --json the result alone is on stdout.
  const out = options.json ? process.stderr : process.stdout;
  const { endpoint, region, credentials } = stack.endpoint;
  const secrets = {
    endpoint,
    region,
    accessKeyId: credentials.accessKeyId,
    secretPrefix: String(stack.outputs['SecretPrefix']),
  };
  for (const { url } of stack.httpApis) {
    const { connection } = options;
    out.write(servedLines({ url, connection, exportId, exampleWrite, secrets }));
  }
  if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
}

function certificates(demo: DemoApi | undefined): Readonly<Record<string, string>> {
  const file = demo?.caFile ?? process.env['NODE_EXTRA_CA_CERTS'];
  return file === undefined ? {} : { NODE_EXTRA_CA_CERTS: file };
}

/** Tells a person what is wrong, and programs by the exit code. */
function explain(error: unknown): number {
  if (interrupt.signal.aborted) {
    process.stderr.write('Interrupted. Everything that was started has been ended.\n');
    return EXIT.interrupted;
  }
  if (error instanceof SettingError) {
    process.stderr.write(`${problemOfOption(START_OPTIONS, error, OPTIONS_OF_SETTINGS)}\n`);
    return EXIT.usage;
  }
  if (!(error instanceof CustomersError)) throw error;
  process.stderr.write(`${error.message}\n`);
  return EXIT.usage;
}
