import { isResource } from '../customers-api/resource-url.ts';
import { defined } from '../defined.ts';
import { type Operation, paramNamesOf } from './operation.ts';
import { placeholdersIn } from './template.ts';
import { fingerprintOf, type RequestedWrite } from './write-request.ts';
import type { WriteSettings } from './write-settings.ts';
import type { WriteState } from './write-state.ts';

const MAX_PARAM_LENGTH = 512;

type NewWrite =
  | { readonly kind: 'new'; readonly state: WriteState }
  /** `setting` is the wrong member, such as `params.id`. */
  | { readonly kind: 'invalid'; readonly setting: string; readonly message: string };

/** The first state of a write, or why the request is invalid. */
export function newWrite(
  request: RequestedWrite,
  settings: WriteSettings,
  { writeToken, idempotencyKey }: Required<Pick<WriteState, 'writeToken' | 'idempotencyKey'>>,
  nowMs: number,
): NewWrite {
  const { connection, writeId, params = {}, bodyText, orderKey } = request;
  const operation = settings.operations.find(({ name }) => name === request.operation);
  if (operation === undefined) return unknownOperation(request.operation, settings);
  const problem = paramsProblem(params, operation);
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
      ...defined({ bodyText, orderKey }),
      ...(operation.acceptsIdempotencyKey && { idempotencyKey }),
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

/** What would be left out in silence is refused, as unknown members are. */
function paramsProblem(
  params: Readonly<Record<string, string>>,
  operation: Operation,
): Invalid | undefined {
  const needed = paramNamesOf(operation);
  for (const [name, value] of Object.entries(params)) {
    if (!needed.has(name)) {
      // The name is the caller's, who may have put anything there.
      const place = /^[\w-]{1,64}$/.test(name) ? `params.${name}` : 'params';
      const expected = needed.size === 0 ? 'none' : [...needed].join(', ');
      return invalid(
        place,
        `operation ${operation.name} has no such placeholder, only ${expected}.`,
      );
    }
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
  const missing = placeholdersIn(operation.resource).find((name) => !Object.hasOwn(params, name));
  if (missing !== undefined) {
    return invalid(`params.${missing}`, `is missing; ${operation.resource} needs it.`);
  }
  const resource = operation.resource.replace(/\{([^{}]*)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  if (isResource(resource)) return resource;
  return invalid('params', `with them ${operation.resource} is not a resource path.`);
}

function invalid(setting: string, problem: string): Invalid {
  return { kind: 'invalid', setting, message: `${setting}: ${problem}` };
}
