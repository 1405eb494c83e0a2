// The process of one function: what Lambda's Node.js runtime is on AWS. It uses nothing but Node, so
// that it starts fast and brings nothing that a bundle could lean on.
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FunctionError, InvokeMessage, RuntimeMessage } from './runtime-messages.ts';

type Handler = (event: unknown, context: object) => unknown;

const [, , taskRoot = '', handlerName = ''] = process.argv;
const environment = process.env;
// Set by the host for this file alone.
delete environment['NODE_COMPILE_CACHE'];
delete environment['NODE_COMPILE_CACHE_PORTABLE'];

process.on('unhandledRejection', (reason) =>
  crash({ ...errorOf(reason), errorType: 'Runtime.UnhandledPromiseRejection' }),
);
process.on('uncaughtException', (error) => crash(errorOf(error)));
// A terminal sends Ctrl-C to every process of the group: the host decides when this one ends.
process.on('SIGINT', () => {});
// The host is gone. `process.exit` can wait for ever for a thread of V8 that waits for this one (nodejs/node#54918).
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

try {
  const handler = await loadHandler();
  process.on('message', (message: InvokeMessage) => {
    void invoke(handler, message);
  });
  send({ kind: 'ready' });
  // Node does it at an exit, and the host kills. The next process starts sooner by it.
  flushCompileCache();
} catch (error) {
  crash(errorOf(error));
}

async function invoke(handler: Handler, message: InvokeMessage): Promise<void> {
  const { requestId } = message;
  try {
    const event: unknown = JSON.parse(message.payload);
    const result = await handler(event, contextOf(message));
    send({ kind: 'returned', requestId, payload: JSON.stringify(result) ?? 'null' });
  } catch (error) {
    send({ kind: 'failed', requestId, error: errorOf(error) });
  }
}

async function loadHandler(): Promise<Handler> {
  const [file, member = ''] = handlerName.split('.');
  const path = join(taskRoot, `${file}.mjs`);
  const module: Record<string, unknown> = await import(pathToFileURL(path).href);
  const handler = module[member];
  if (isHandler(handler)) return handler;
  throw new Error(`${handlerName} is undefined or not exported`);
}

/** As much of Lambda's context as functions read. */
function contextOf({ requestId, deadlineMs }: InvokeMessage): object {
  return {
    awsRequestId: requestId,
    getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()),
  };
}

function errorOf(reason: unknown): FunctionError {
  if (typeof reason !== 'object' || reason === null || !('message' in reason)) {
    return { errorType: typeof reason, errorMessage: String(reason) };
  }
  const name = 'name' in reason ? String(reason.name) : 'Error';
  return { errorType: name, errorMessage: String(reason.message) };
}

function isHandler(value: unknown): value is Handler {
  return typeof value === 'function';
}

function send(message: RuntimeMessage): void {
  process.send?.(message);
}

/** The host ends this process when it hears of it, so what was written must be out before. */
function crash(error: FunctionError): void {
  process.stderr.write(`${error.errorType}: ${error.errorMessage}\n`, () =>
    send({ kind: 'crashing', error }),
  );
}
