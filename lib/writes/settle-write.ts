import type { SettlePorts, WriteName } from './ports.ts';
import type { WriteSettings } from './write-settings.ts';
import type { SettlementDecision, WriteState } from './write-state.ts';

export interface SettlementRequest extends WriteName {
  /** `done`: the write took effect. `retry`: it did not, so it is sent again. */
  readonly decision: SettlementDecision;
  /** Who decides, such as the ARN of the caller; 1 to 256 characters. */
  readonly by: string;
  /** Up to 1,024 characters. */
  readonly note?: string;
}

export type Settled =
  /** Decided, now or by the same decision of the same person before. */
  | { readonly kind: 'settled'; readonly state: WriteState }
  /** There is nothing to decide (HTTP 409). */
  | { readonly kind: 'not-unclear'; readonly state: WriteState }
  | { readonly kind: 'missing' };

/**
 * Ends a person's look at an unclear write with what they found, and writes down who decided what.
 *
 * @throws What a port throws: ask again.
 */
export declare function settleWrite(
  ports: SettlePorts,
  settings: WriteSettings,
  request: SettlementRequest,
): Promise<Settled>;
