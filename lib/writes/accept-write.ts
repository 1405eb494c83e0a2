import { defined } from '../defined.ts';
import type { NoKey, OpenKey } from '../gate/ports.ts';
import { isRepeat, sentAsOf } from './decide-write.ts';
import { newWrite } from './new-write.ts';
import { isOrdered, joinLine, MAX_LINE_LENGTH } from './order-line.ts';
import type { AcceptPorts, EnterPorts } from './ports.ts';
import { fingerprintOf, type RequestedWrite } from './write-request.ts';
import type { WriteSettings } from './write-settings.ts';
import type { WriteState } from './write-state.ts';
import { pointerTo } from './write-steps.ts';

export type Accepted =
  /** A new write: it is in the ledger, and its message is sent. */
  | { readonly kind: 'accepted'; readonly state: WriteState }
  /** The same write was accepted before; `state` is its current state. */
  | { readonly kind: 'joined'; readonly state: WriteState }
  /** Another write has this id (HTTP 409). It did not change. */
  | { readonly kind: 'conflict' }
  /** The request is invalid (HTTP 400). `setting` is the wrong member, such as `params.id`. */
  | { readonly kind: 'invalid'; readonly setting: string; readonly message: string }
  /** `setting` holds the key of a connection (HTTP 400). Nothing is stored. */
  | { readonly kind: 'key-in-request'; readonly setting: string; readonly message: string }
  /** Too many writes wait under this orderKey (HTTP 503): retry later. */
  | { readonly kind: 'line-full'; readonly message: string };

/**
 * Stores a write in the ledger and in its order line, and sends its message. Safe to repeat.
 *
 * @throws What a port throws: deliver the request again; a repeat makes no second write.
 */
export async function acceptWrite(
  ports: EnterPorts,
  settings: WriteSettings,
  request: RequestedWrite,
): Promise<Accepted> {
  const entered = await enterWrite(ports, settings, request);
  const isEntered = entered.kind === 'accepted' || entered.kind === 'joined';
  if (isEntered && isUnsent(entered.state)) await ports.queue.send(pointerTo(entered.state));
  return entered;
}

/** Accepts a write without a message, for a caller that carries it out immediately. */
export async function enterWrite(
  ports: EnterPorts,
  settings: WriteSettings,
  request: RequestedWrite,
): Promise<Accepted> {
  const { connection, writeId, orderKey } = request;
  const opened = await ports.connections.open(connection, 'cached');
  // Before anything of it is stored, logged or told.
  const shown = memberWithKey(request, ports.holdsKey);
  if (shown !== undefined) return keyIn(shown);
  const known = await ports.ledger.readWrite(connection, writeId);
  if (known !== undefined) return join(ports, request, known);

  const tokens = { writeToken: ports.random.token(), idempotencyKey: ports.random.token() };
  const made = newWrite(request, settings, tokens, ports.clock.now());
  if (made.kind === 'invalid') return made;
  // A key that was cut into pieces.
  if (ports.holdsKey(made.state.resource)) return keyIn('params');
  const credential = await credentialOf(opened, ports, connection);
  const state = { ...made.state, ...defined({ credential }) };
  if (orderKey !== undefined) {
    const line = await ports.ledger.readLine(connection, orderKey);
    if ((line?.writeIds.length ?? 0) >= MAX_LINE_LENGTH) return lineFull(orderKey);
  }
  const result = await ports.ledger.writeWrite(state, undefined);
  if (result.kind === 'conflict' && result.current !== undefined) {
    return join(ports, request, result.current);
  }
  if (isOrdered(state)) await joinLine(ports, state);
  return { kind: 'accepted', state };
}

/**
 * The credential of the organization that a caller means now: that of the key, or without a key the last one that
 * was used. `undefined` for a connection that never had one.
 */
export async function credentialInUse(
  { connections, gates }: Pick<AcceptPorts, 'connections' | 'gates'>,
  connection: string,
  freshness: 'cached' | 'fresh',
): Promise<string | undefined> {
  return credentialOf(await connections.open(connection, freshness), { gates }, connection);
}

/**
 * The credential that a request of a write would be sent with now. Before another one than that of the earlier request is
 * believed, the secret is read: the cached one may be older than that request.
 */
export async function credentialFor(
  ports: Pick<AcceptPorts, 'connections' | 'gates'>,
  state: WriteState,
): Promise<string | undefined> {
  const cached = await credentialInUse(ports, state.connection, 'cached');
  if (!isRepeat(state) || cached === sentAsOf(state)) return cached;
  return credentialInUse(ports, state.connection, 'fresh');
}

async function credentialOf(
  opened: OpenKey | NoKey,
  { gates }: Pick<AcceptPorts, 'gates'>,
  connection: string,
): Promise<string | undefined> {
  if (opened.kind === 'open') return opened.credential;
  const { organization } = await gates.read(connection);
  return organization?.credentials.at(-1);
}

/** The first delivery may have ended before the write joined its order line. */
async function join(
  ports: AcceptPorts,
  request: RequestedWrite,
  known: WriteState,
): Promise<Accepted> {
  if (known.fingerprint !== fingerprintOf(request)) return { kind: 'conflict' };
  if (isUnsent(known) && isOrdered(known)) await joinLine(ports, known);
  return { kind: 'joined', state: known };
}

/** A write that was claimed sends its own messages; a write that waits in line is woken by the one before it. */
function isUnsent({ status, attempt, wakeUpSent }: WriteState): boolean {
  return status === 'intended' && attempt === 0 && !wakeUpSent;
}

/** The member that holds the key; `undefined` when none does. */
function memberWithKey(
  { writeId, operation, orderKey = '', params = {}, bodyText = '' }: RequestedWrite,
  holdsKey: EnterPorts['holdsKey'],
): string | undefined {
  const texts = { writeId, operation, orderKey, params: JSON.stringify(params), body: bodyText };
  return Object.entries(texts).find(([, text]) => holdsKey(text))?.[0];
}

function keyIn(setting: string): Accepted {
  return { kind: 'key-in-request', setting, message: `${setting}: ${HOLDS_KEY}` };
}

const HOLDS_KEY =
  'holds the key of a connection, which belongs into its header alone. Nothing was stored or sent. Take it out, and consider the key exposed.';

function lineFull(orderKey: string): Accepted {
  return {
    kind: 'line-full',
    message: `${MAX_LINE_LENGTH} writes wait for their turn under the orderKey ${orderKey}. Ask again later; an unclear write at the head of it has to be settled first.`,
  };
}
