import type { AcceptPorts } from './ports.ts';
import type { RequestedWrite } from './write-request.ts';
import type { WriteSettings } from './write-settings.ts';
import type { WriteState } from './write-state.ts';

export type Accepted =
  /** A new write: it is in the ledger and its message is on its way. */
  | { readonly kind: 'accepted'; readonly state: WriteState }
  /** The same write was accepted before; `state` tells how far it is. */
  | { readonly kind: 'joined'; readonly state: WriteState }
  /** Another write has this id (HTTP 409). Nothing of it changed. */
  | { readonly kind: 'conflict'; readonly state: WriteState }
  /** It cannot be carried out as asked (HTTP 400). `setting` is the place, such as `params.id`. */
  | { readonly kind: 'invalid'; readonly setting: string; readonly message: string }
  /** Too many writes wait for their turn under this orderKey (HTTP 503): ask again later. */
  | { readonly kind: 'line-full'; readonly message: string };

/**
 * Puts a write into the ledger, in its place in the order, and on the queue. Repeating does no harm.
 *
 * @throws What a port throws: the request is to be delivered again, which makes no second write.
 */
export declare function acceptWrite(
  ports: AcceptPorts,
  settings: WriteSettings,
  request: RequestedWrite,
): Promise<Accepted>;
