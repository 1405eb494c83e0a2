import { resourceUrl } from '../customers-api/resource-url.ts';
import { defined } from '../defined.ts';
import { SettingError } from '../errors.ts';
import { isJsonObject } from '../json/json-value.ts';
import type { Operation } from './operation.ts';
import type { RequestedWrite } from './write-request.ts';
import { fingerprintOf } from './write-request.ts';
import type { WriteSettings } from './write-settings.ts';
import type { WriteState } from './write-state.ts';

/** Leaves room for the rest of the item: the limits are 400 KB in DynamoDB and 1 MiB in SQS. */
const MAX_BODY_BYTES = 256 * 1024;
/** Far deeper than records are, far less than what overflows a stack. */
const MAX_BODY_DEPTH = 100;
const MAX_PARAM_LENGTH = 512;
const MAX_PARAMS = 32;

export type NewWrite =
  | { readonly kind: 'new'; readonly state: WriteState }
  /** `setting` is the wrong member, such as `params.id`. */
  | { readonly kind: 'invalid'; readonly setting: string; readonly message: string };

interface NewTokens {
  readonly writeToken: string;
  readonly idempotencyKey: string;
}

/** The first state of a write, or why the request is invalid. */
export function newWrite(
  request: RequestedWrite,
  settings: WriteSettings,
  { writeToken, idempotencyKey }: NewTokens,
  nowMs: number,
): NewWrite {
  const { connection, writeId, params = {}, body, orderKey } = request;
  const operation = settings.operations.find(({ name }) => name === request.operation);
  if (operation === undefined) return unknownOperation(request.operation, settings);
  const problem = paramsProblem(params) ?? bodyProblem(body);
  if (problem !== undefined) return problem;
  const resource = filledResource(operation, params);
  if (typeof resource !== 'string') return resource;
  return {
    kind: 'new',
    state: {
      v: 1,
      connection,
      writeId,
      writeToken,
      status: 'intended',
      fingerprint: fingerprintOf(request),
      operation,
      params,
      resource,
      ...(body === undefined ? {} : { bodyText: JSON.stringify(body) }),
      ...defined({ orderKey }),
      ...(operation.acceptsIdempotencyKey ? { idempotencyKey } : {}),
      acceptedAtMs: nowMs,
      updatedAtMs: nowMs,
      deadlineAtMs: nowMs + settings.maxDurationSeconds * 1000,
      attempt: 0,
      wakeUpSent: false,
      notBeforeMs: nowMs,
      counters: { requests: 0, checks: 0, throttles: 0, failuresInRow: 0, unknownChecksInRow: 0 },
      settlements: [],
      unannounced: false,
      closed: false,
    },
  };
}

type Invalid = Extract<NewWrite, { kind: 'invalid' }>;

function unknownOperation(name: string, { operations }: WriteSettings): Invalid {
  const known = operations.map((operation) => operation.name).join(', ');
  return invalid(
    'operation',
    `there is no operation ${JSON.stringify(name)}. ${known === '' ? 'None is declared: set operations.' : `Expected one of ${known}.`}`,
  );
}

function paramsProblem(params: Readonly<Record<string, string>>): Invalid | undefined {
  const entries = Object.entries(params);
  if (entries.length > MAX_PARAMS) {
    return invalid('params', `expected ${MAX_PARAMS} at most, got ${entries.length}.`);
  }
  for (const [name, value] of entries) {
    const isUsable = value !== '' && value.length <= MAX_PARAM_LENGTH && value.isWellFormed();
    if (!isUsable) {
      return invalid(`params.${name}`, `expected 1 to ${MAX_PARAM_LENGTH} characters of Unicode.`);
    }
  }
  return undefined;
}

function filledResource(
  operation: Operation,
  params: Readonly<Record<string, string>>,
): string | Invalid {
  const names = [...operation.resource.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
  const missing = names.find((name) => !Object.hasOwn(params, name));
  if (missing !== undefined) {
    return invalid(`params.${missing}`, `is missing; ${operation.resource} needs it.`);
  }
  const resource = operation.resource.replace(/\{([^{}]*)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  try {
    resourceUrl(ANY_ROOT, resource);
    return resource;
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    return invalid('params', error.message);
  }
}

/** Whether a resource stays below the root does not depend on the root. */
const ANY_ROOT = new URL('https://api.example.com/2.0/');

function bodyProblem(body: unknown): Invalid | undefined {
  if (body === undefined) return undefined;
  const problem = valueProblem(body, 0);
  if (problem !== undefined) return invalid('body', problem);
  const bytes = Buffer.byteLength(JSON.stringify(body));
  if (bytes <= MAX_BODY_BYTES) return undefined;
  return invalid('body', `is ${bytes} bytes of JSON. Expected ${MAX_BODY_BYTES} at most.`);
}

function valueProblem(value: unknown, depth: number): string | undefined {
  if (typeof value === 'number') return numberProblem(value);
  const inner = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  if (inner.length === 0) return undefined;
  if (depth >= MAX_BODY_DEPTH) return `is nested deeper than ${MAX_BODY_DEPTH} levels.`;
  for (const each of inner) {
    const problem = valueProblem(each, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Digits that were lost during parsing cannot be restored, so such a number must not be sent. */
function numberProblem(value: number): string | undefined {
  if (Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))) {
    return undefined;
  }
  return `holds a number beyond ${Number.MAX_SAFE_INTEGER}, of which digits may be lost. Give it as text.`;
}

function invalid(setting: string, problem: string): Invalid {
  return { kind: 'invalid', setting, message: `${setting}: ${problem}` };
}
