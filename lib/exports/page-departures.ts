import { freshLook } from '../gate/gate-look.ts';
import type { StoredVersion } from '../gate/organization.ts';
import type { GateLook } from '../gate/ports.ts';
import { isHalted } from '../gate/usable-connection.ts';
import type { SentRequest } from '../pace/pacer.ts';
import { type FetchStop, stopToWait } from './fetch-stop.ts';
import { PagePlaces, type PagePlacesOf } from './page-places.ts';
import type { ExportPorts } from './ports.ts';
import type { ToldByAnswers } from './told-by-answers.ts';

export interface DeparturePorts extends Pick<ExportPorts, 'clock' | 'random'> {
  readonly gates: Pick<ExportPorts['gates'], 'read' | 'changePlaces'>;
}

export interface DeparturesOf extends PagePlacesOf {
  readonly exportId: string;
  readonly connection: StoredVersion;
  readonly stopAtMs: number;
}

type Departure =
  | { readonly kind: 'at'; readonly atMs: number }
  /** A place is to be taken first. */
  | { readonly kind: 'place'; readonly paceAtMs: number }
  /** Not in this step. */
  | { readonly kind: 'stop'; readonly stop: FetchStop };

/** When the next page may be asked for: by the gate, the pace, and the places that others leave. */
export class PageDepartures {
  readonly #ports: DeparturePorts;
  readonly #of: DeparturesOf;
  readonly #told: Pick<ToldByAnswers, 'untilMs'>;
  readonly #places: PagePlaces;
  #gate: GateLook;

  /** @param told The waits that the step itself was told. */
  constructor(ports: DeparturePorts, of: DeparturesOf, told: Pick<ToldByAnswers, 'untilMs'>) {
    this.#ports = ports;
    this.#of = of;
    this.#told = told;
    this.#gate = of.gate;
    this.#places = new PagePlaces(ports, of);
  }

  /** At the gate, unless the latest look is young enough. */
  async look(): Promise<void> {
    this.#gate = await freshLook(this.#ports, this.#of.connectionName, this.#gate);
    this.#places.look(this.#gate);
  }

  next(nowMs: number, latencyMs: number): Departure {
    const { pace, stopAtMs } = this.#of;
    const blockedUntilMs = Math.max(this.#gate.blockedUntilMs, this.#told.untilMs);
    const paceAtMs = Math.max(pace.nextAtMs(nowMs), blockedUntilMs);
    const dueAtMs = this.#places.dueAtMs(paceAtMs, nowMs);
    const burstAtMs = pace.burstAtMs(nowMs);
    const stop =
      this.#refusedByGate() ??
      stopToWait(nowMs, { blockedUntilMs, paceAtMs, dueAtMs, burstAtMs, latencyMs, stopAtMs });
    if (stop !== undefined) return { kind: 'stop', stop };
    const takeAtMs = this.#places.takeAtMs(dueAtMs, nowMs);
    if (takeAtMs === undefined) return { kind: 'at', atMs: dueAtMs };
    return takeAtMs <= nowMs ? { kind: 'place', paceAtMs } : { kind: 'at', atMs: takeAtMs };
  }

  async takePlace(paceAtMs: number, nowMs: number): Promise<void> {
    this.#gate = await this.#places.take(paceAtMs, nowMs);
  }

  /** Counts a request that is sent now. */
  sent(nowMs: number): SentRequest {
    this.#places.use();
    return this.#of.pace.sent(nowMs);
  }

  /** The API asked the step itself to wait. */
  told(untilMs: number): void {
    this.#places.told(untilMs);
  }

  #refusedByGate(): FetchStop | undefined {
    if (this.#gate.stoppedExportId === this.#of.exportId) return { kind: 'cancelled' };
    return isHalted(this.#of.connection, this.#gate) ? { kind: 'key-halted' } : undefined;
  }
}
