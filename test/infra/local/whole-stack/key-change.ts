import type { Fault } from '../../../../infra/simulator/faults.ts';
import type { ExportState } from '../../../../lib/exports/export-state.ts';

/** To which organization the new key belongs. */
export type KeyChange = 'switch' | 'rotation';

/** Where an export stands when its connection gets another key, and what that key opens. */
export interface Situation {
  /** Ends the sentence "… organization". */
  readonly name: string;
  readonly pause: 'halt' | 'wait' | 'step' | 'kill';
  readonly isOtherHost?: boolean;
  readonly hasLabels?: boolean;
  /** Of the organization that answers last. @default {@link CUSTOMERS} for both */
  readonly customers?: Readonly<Record<KeyChange, number>>;
}

const CUSTOMERS = 200;
const PER_PAGE = 10;

export const SITUATIONS: readonly Situation[] = [
  { name: 'after a halt', pause: 'halt' },
  { name: 'during a wait', pause: 'wait' },
  { name: 'with labels', pause: 'wait', hasLabels: true },
  { name: 'between steps', pause: 'step' },
  { name: 'at another host', pause: 'wait', isOtherHost: true },
  { name: 'with fewer pages', pause: 'wait', customers: { switch: 30, rotation: 160 } },
  { name: 'with an empty list', pause: 'wait', customers: { switch: 0, rotation: 0 } },
  // The last ones: they kill whatever worker there is.
  { name: 'after a killed worker', pause: 'kill' },
];

/** One change of the key of one connection, whose organizations nobody else uses. */
export class Case {
  readonly situation: Situation;
  readonly change: KeyChange;
  readonly connection: string;
  readonly keys: { readonly former: string; readonly next: string };
  readonly organizations: { readonly former: string; readonly next: string };

  constructor(situation: Situation, change: KeyChange) {
    this.situation = situation;
    this.change = change;
    this.connection = `${change}-${situation.name.replaceAll(' ', '-')}`;
    this.keys = {
      former: `former-key-of-${this.connection}`,
      next: `next-key-of-${this.connection}`,
    };
    const former = `${this.connection} A`;
    const next = change === 'rotation' ? former : `${this.connection} B`;
    this.organizations = { former, next };
  }

  /** Customers when the simulator starts. */
  get organizationOptions() {
    const { keys, organizations, situation, change } = this;
    const customers = situation.customers?.[change] ?? CUSTOMERS;
    return [
      { key: keys.former, name: organizations.former, customers: this.isEmpty ? 0 : CUSTOMERS },
      { key: keys.next, name: organizations.next, customers },
    ];
  }

  /** Whether the organization of the former key has no customers. */
  get isEmpty(): boolean {
    return this.change === 'rotation' && this.situation.customers?.rotation === 0;
  }

  /** Customers that the list loses during a rotation. */
  get lost(): number {
    const { situation, change } = this;
    const customers = situation.customers?.rotation ?? CUSTOMERS;
    return change === 'rotation' && !this.isEmpty ? CUSTOMERS - customers : 0;
  }

  /** So slow a rate makes several steps of a list that would else be one. */
  get settings() {
    return {
      perPage: PER_PAGE,
      // What is asked for again is recognized by the number of its page.
      walk: 'fast',
      pagesInFlight: 1,
      requestsPerSecond: this.situation.pause === 'step' ? 4 : 20,
    };
  }

  get faults(): readonly Fault[] {
    const organization = this.organizations.former;
    const waitAt = (page: number, seconds: number): Fault => ({
      when: { organization, method: 'GET', page },
      times: 1,
      fault: { kind: 'status', status: 429, headers: { 'Retry-After': String(seconds) } },
    });
    // After the first wait there are pages of two steps, so that the sample is of a later page than the first.
    const waits = this.isEmpty
      ? [waitAt(1, LONG_WAIT_SECONDS)]
      : [waitAt(6, 1), waitAt(15, LONG_WAIT_SECONDS)];
    return [
      { when: { organization, method: 'POST' }, times: 1, fault: { kind: 'lose-answer' } },
      ...(this.situation.pause === 'step' ? [] : waits),
    ];
  }

  /** Whether the key is to change now; before a halt, whether the former one is to be revoked. */
  isTime({ counters, step, notBeforeMs, lease }: ExportState): boolean {
    const pages = this.isEmpty ? 0 : 14;
    switch (this.situation.pause) {
      case 'step':
        return step > 0 && counters.pages >= 5;
      case 'halt':
        return counters.pages >= 5;
      case 'kill':
        return counters.pages >= 5 && lease !== undefined;
      default:
        return counters.pages >= pages && notBeforeMs > Date.now() + LEAST_REST_MS;
    }
  }

  secret(key: string, baseUrl?: string): string {
    const { hasLabels, isOtherHost } = this.situation;
    if (!hasLabels && !isOtherHost) return key;
    const organization =
      key === this.keys.former ? this.organizations.former : this.organizations.next;
    return JSON.stringify({
      apiKey: key,
      ...(hasLabels ? { organization } : {}),
      ...(baseUrl === undefined ? {} : { baseUrl }),
    });
  }
}

/** So long that nobody misses it, on a busy machine either. */
const LONG_WAIT_SECONDS = 7;
const LEAST_REST_MS = 500;
