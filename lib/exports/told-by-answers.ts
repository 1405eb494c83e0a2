import type { ListOutcome } from '../customers-api/outcome.ts';
import { blockedUntilMs, endOfWaitMs } from '../gate/blocked-until.ts';
import type { StoredVersion } from '../gate/organization.ts';
import { recordHalt, recordWait } from '../gate/record-in-gate.ts';
import type { ExportPorts } from './ports.ts';

export interface ToldPorts extends Pick<ExportPorts, 'clock' | 'random'> {
  readonly gates: Pick<ExportPorts['gates'], 'blockUntil' | 'haltKeyVersion'>;
}

export interface ToldTally {
  readonly throttles: number;
  /** All waits that the API asked for; what of them ran at the same time counts once. */
  readonly waitedSeconds: number;
  /** Requests that did not leave. */
  readonly heldBack: number;
}

export interface ToldPlan {
  readonly connectionName: string;
  readonly connection: StoredVersion;
  /** Throttles in a row before this step that stated no wait. */
  readonly blindThrottles: number;
  readonly stopAtMs: number;
}

/** What the answers of a step ask of all callers of the connection: that is recorded in the gate, and counted. */
export class ToldByAnswers {
  readonly #ports: ToldPorts;
  readonly #plan: ToldPlan;
  /** One call for all running requests with the rejected key. */
  #halting: Promise<void> | undefined;
  #untilMs = 0;
  #throttles = 0;
  #heldBack = 0;
  #waitedMs = 0;

  constructor(ports: ToldPorts, plan: ToldPlan) {
    this.#ports = ports;
    this.#plan = plan;
  }

  /** The end of the latest wait; a look at the gate may have begun before. */
  get untilMs(): number {
    return this.#untilMs;
  }

  get tally(): ToldTally {
    const waitedSeconds = Math.round(this.#waitedMs / 1000);
    return { throttles: this.#throttles, waitedSeconds, heldBack: this.#heldBack };
  }

  /**
   * Records a halt or a wait first, before anything else can fail, to stop all other callers.
   *
   * @param onWait Told of the end of the wait before it is recorded.
   * @throws The last error of the gate.
   */
  async record(outcome: ListOutcome, onWait: (untilMs: number) => void): Promise<void> {
    const { connectionName, connection, stopAtMs } = this.#plan;
    if (outcome.kind === 'authentication-failure') {
      this.#halting ??= recordHalt(this.#ports, connectionName, connection, stopAtMs);
      await this.#halting;
    }
    const untilMs = this.#note(outcome);
    if (untilMs === undefined) return;
    onWait(untilMs);
    const wait = { untilMs, asSent: outcome.waitAsSent };
    await recordWait(this.#ports, connectionName, wait, stopAtMs);
  }

  #note(outcome: ListOutcome): number | undefined {
    const { clock, random } = this.#ports;
    const nowMs = clock.now();
    const untilMs =
      outcome.kind === 'throttled'
        ? blockedUntilMs(outcome, this.#plan.blindThrottles, random.fraction(), nowMs)
        : endOfWaitMs(outcome, nowMs);
    if (untilMs === undefined) return undefined;
    if (isHeldBack(outcome)) this.#heldBack++;
    else if (outcome.kind === 'throttled') this.#throttles++;
    this.#waitedMs += Math.max(0, untilMs - Math.max(nowMs, this.#untilMs));
    this.#untilMs = Math.max(this.#untilMs, untilMs);
    return untilMs;
  }
}

/** A request that did not leave says nothing of its own. */
export function isHeldBack(outcome: ListOutcome): boolean {
  return outcome.kind === 'throttled' && outcome.isHeldBack === true;
}
