import { errorName, textIn } from '../../lib/errors.ts';
import type { Redact } from '../../lib/key/redaction.ts';
import { type MetricValues, metricFields } from './metrics.ts';

type Level = 'INFO' | 'WARN' | 'ERROR';
type Field = string | number | boolean | undefined;

/** Fields are named one by one: an event, a body or an error is never logged whole. */
export type Fields = Readonly<Record<string, Field>>;

export interface Log {
  info(message: string, fields?: Fields, metrics?: MetricValues): void;
  warn(message: string, fields?: Fields, metrics?: MetricValues): void;
  error(message: string, fields?: Fields, metrics?: MetricValues): void;
  /** A log whose lines carry these fields too. */
  with(fields: Fields): Log;
}

export interface LogOptions {
  /** Applied to each whole line, last. */
  readonly redact: Redact;
  /** @default one line to stdout, which Lambda stores as it is, without its own envelope */
  readonly write?: (line: string) => void;
  /** @default Date.now */
  readonly now?: () => number;
  /** Of the function that runs. @default - as Lambda names it (developer guide, "Defined runtime environment variables") */
  readonly functionName?: () => string;
}

/** One line of JSON a message, in the field names by which Lambda filters (`timestamp`, `level`). */
export function createLog({
  redact,
  write = toStdout,
  now = Date.now,
  functionName = ownName,
}: LogOptions): Log {
  const logWith = (common: Fields): Log => {
    const line: (level: Level) => Log['info'] = (level) => (message, fields, metrics) => {
      const nowMs = now();
      const timestamp = new Date(nowMs).toISOString();
      const shown = withShortTexts({ ...common, ...fields }, redact);
      const counted = metrics && metricFields(metrics, functionName(), nowMs);
      write(`${redact(jsonOf({ timestamp, level, message }, shown, counted))}\n`);
    };
    return {
      info: line('INFO'),
      warn: line('WARN'),
      error: line('ERROR'),
      with: (fields) => logWith({ ...common, ...fields }),
    };
  };
  return logWith({});
}

/** Fields of other code may be no text, number or boolean, whatever the types say: what happened is told without them. */
function jsonOf(own: object, fields: object, counted: object | undefined): string {
  try {
    return JSON.stringify({ ...own, ...fields, ...counted });
  } catch {
    return JSON.stringify({ ...own, ...counted, fields: 'left out: one fits into no JSON' });
  }
}

function ownName(): string {
  return process.env['AWS_LAMBDA_FUNCTION_NAME'] ?? 'outside Lambda';
}

/** Enough for every message of ours; what is longer quotes something. */
const MAX_MESSAGE_LENGTH = 1000;

/** The three things that are logged of an error. Stack, cause and everything else may hold a request. */
export function errorFields(error: unknown): Fields {
  return {
    errorName: errorName(error),
    errorCode: textIn(error, 'code'),
    errorMessage: textIn(error, 'message'),
  };
}

/** What an error says without keys, as long as it may be shown: a key that is cut first is not found. */
export function shortMessage(message: string, redact: Redact): string {
  return redact(message).slice(0, MAX_MESSAGE_LENGTH);
}

/** Code of others chooses all three, and CloudWatch counts no metric in a line that Lambda had to cut (256 KB). */
function withShortTexts(fields: Fields, redact: Redact): Fields {
  const cut = Object.entries(fields).map(([name, value]) => {
    const isOfError = /^error(Name|Code|Message)$/.test(name);
    return [name, isOfError && typeof value === 'string' ? shortMessage(value, redact) : value];
  });
  return Object.fromEntries(cut);
}

function toStdout(line: string): void {
  process.stdout.write(line);
}
