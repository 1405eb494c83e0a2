import { expect, test } from '@jest/globals';
import { randomOf } from '../../infra/simulator/random.ts';
import type { ExportState } from '../../lib/exports/export-state.ts';
import { manifestKey } from '../../lib/exports/store-objects.ts';
import { DEPTH_TIMEOUT_MS, expectMet, seedsOf, tried, trySeed } from '../deep/depth.ts';
import { checkEvent } from './check-event.ts';
import { checkReports, checkRequests } from './checks.ts';
import { randomFaults } from './fault-plan.ts';
import { tokenBucket } from './model-api.ts';
import { CONNECTION, World } from './world.ts';

const LISTS = { invoices: 60, subscriptions: 30, orders: 10, notes: 0 } as const;
const NAMES = ['customers', ...Object.keys(LISTS)];
const HOUR_MS = 3_600_000;

interface Wanted {
  readonly list: string;
  readonly exportId: string;
  /** Exports that were over when the start began. */
  readonly overBefore: ReadonlySet<string>;
  /** The export that the start was told of. */
  readonly told: string;
}

/** What people and schedules do with the lists of one connection, at any time and in any order. */
class Operators {
  readonly world: World;
  readonly told: Wanted[] = [];
  #pending = 0;
  readonly #random: () => number;
  readonly #rejected: Set<string>;
  #version = 1;

  constructor(world: World, random: () => number, rejected: Set<string>) {
    this.world = world;
    this.#random = random;
    this.#rejected = rejected;
  }

  get isDone(): boolean {
    return this.#pending === 0;
  }

  /** One act after `delayMs`. */
  act(delayMs: number, number: number): void {
    const kind = this.#random();
    const later = delayMs + this.#random() * 2 * HOUR_MS;
    const exportId = `request-${number}`;
    if (kind < 0.55) {
      this.#at(delayMs, () => this.#start(exportId, this.#listName()));
      // Often it still waits for its turn then, or is halted a moment ago.
      const isRegretted = this.#random() < 0.3;
      if (isRegretted)
        this.#at(delayMs + this.#random() * 1_000, () => this.#cancel(exportId, 'keep'));
    } else if (kind < 0.8) {
      const earlier = `request-${Math.floor(this.#random() * number)}`;
      this.#at(delayMs, () => this.#cancel(earlier, this.#random() < 0.5 ? 'keep' : 'remove'));
      // Often a start meets the cancel.
      this.#at(delayMs + this.#random() * 300, () => this.#start(exportId, this.#listName()));
    } else if (kind < 0.88) {
      this.#at(delayMs, () => this.#rejected.add(this.world.keyVersion ?? ''));
      this.#at(later, () => this.#changeKey('v'));
    } else if (kind < 0.94) {
      this.#at(delayMs, () => this.#changeKey(this.#random() < 0.5 ? 'b' : 'v'));
    } else {
      const { rules } = this.world;
      const list = this.#listName();
      this.#at(delayMs, () => this.world.removeList(list));
      this.#at(later, () => {
        this.world.rules = rules;
      });
    }
  }

  #listName(): string {
    return NAMES[Math.floor(this.#random() * NAMES.length)] ?? '';
  }

  #changeKey(organization: 'v' | 'b'): void {
    this.#version += 1;
    this.world.keyVersion = `${organization}${this.#version}`;
  }

  #at(delayMs: number, act: () => void): void {
    this.world.clock.at(this.world.clock.now() + delayMs, act);
  }

  /** Again until it is answered, as whoever calls would. */
  #start(exportId: string, list: string): void {
    if (!this.world.rules.lists.has(list)) return;
    const overBefore = new Set(
      statesOf(this.world)
        .filter(isOver)
        .map((each) => each.exportId),
    );
    this.#until(
      () => this.world.start(exportId, list),
      (answer) => {
        const told = answer.kind === 'queued' ? answer.queued.exportId : answer.state.exportId;
        this.told.push({ list, exportId, overBefore, told });
      },
    );
  }

  #cancel(exportId: string, parts: 'keep' | 'remove'): void {
    this.#until(
      () => this.world.cancel(exportId, parts),
      () => undefined,
    );
  }

  #until<T>(call: () => Promise<T>, then: (answer: T) => void): void {
    this.#pending += 1;
    const attempt = () => {
      call().then(
        (answer) => {
          this.#pending -= 1;
          then(answer);
        },
        () => this.#at(1_000, attempt),
      );
    };
    attempt();
  }
}

function statesOf({ ledger }: World): readonly ExportState[] {
  return [...ledger.exports.values()];
}

function isOver({ status }: ExportState): boolean {
  return status !== 'running' && status !== 'halted';
}

/** Whatever was done: one thing of each export, told to everybody alike, and nobody waits for one that was over. */
function check({ world, told }: Operators): void {
  expect(world.ledger.lines.size).toBe(0);
  checkRequests(world);
  checkReports(world);
  for (const event of world.events) checkEvent(event);
  for (const { list, exportId, overBefore, told: id } of told) {
    const state = world.ledger.readExport(CONNECTION, id);
    expect(state).toMatchObject({ list });
    if (id !== exportId) expect(overBefore.has(id)).toBe(false);
  }
  for (const state of statesOf(world)) {
    expect(state).toMatchObject({ unannounced: [] });
    expect(isOver(state)).toBe(true);
    const hasManifest = world.store.read(manifestKey(state)) !== undefined;
    expect(hasManifest).toBe(state.status === 'completed');
    const own = world.events.filter(({ exportId }) => exportId === state.exportId);
    const ends = own.filter(({ kind }) => kind !== 'halted' && kind !== 'throttled-long');
    expect(new Set(ends.map(({ kind }) => kind))).toEqual(new Set([state.status]));
  }
}

/** Of a message that comes back every minute for an hour, more duplicates than losses would make thousands. */
function deliveries(random: () => number): { duplicates: number; losses: number } {
  const [some, others] = [random() * 0.3, random() * 0.3];
  return { duplicates: Math.min(some, others), losses: Math.max(some, others) };
}

async function runSeed(seed: number): Promise<readonly string[]> {
  const random = randomOf(seed + 9_000_000);
  const bucket = tokenBucket(0.5 + random() * 5, 1 + Math.floor(random() * 8));
  const rejected = new Set<string>();
  const world = new World({
    seed,
    customers: Math.floor(random() * 90),
    lists: LISTS,
    settings: { partMaxPages: 4, maxDurationSeconds: 3_600 },
    latencyMs: random() < 0.3 ? 2_000 : 50,
    behaviour: (request) =>
      rejected.has(request.keyVersion)
        ? { kind: 'authentication-failure', status: 401 }
        : bucket(request),
    faults: randomFaults(random, random() < 0.8 ? 0.05 : 0, 1_500),
    ...deliveries(random),
  });
  const operators = new Operators(world, random, rejected);
  const spreadMs = random() < 0.5 ? 60_000 : 600_000;
  const acts = 6 + Math.floor(random() * 25);
  for (let number = 0; number < acts; number++) operators.act(random() * spreadMs, number);
  const overAtMs = world.clock.now() + spreadMs + 2 * HOUR_MS;
  const isTime = () => world.clock.now() > overAtMs;
  await world.runUntil(() => isTime() && operators.isDone && world.isIdle(), true);
  check(operators);
  return statesOf(world).map(({ status, reason }) => reason?.code ?? status);
}

const SEEDS = seedsOf({ short: 12, deep: 1_000 });

test(
  `leaves each export over in one way, whatever is started, cancelled and taken away, for ${SEEDS.length} seeds`,
  async () => {
    tried('seeds of operators', SEEDS.length);
    const ends = (await runAll()).flat();
    const countOf = (wanted: string) => ends.filter((each) => each === wanted).length;
    const cancelled = countOf('cancelled');
    expectMet({ completed: countOf('completed'), cancelled }, { short: 5, deep: 200 });
    expectMet({ removed: countOf('list-removed') }, { short: 1, deep: 50 });
    expectMet({ deadline: countOf('deadline') }, { short: 0, deep: 20 });
  },
  DEPTH_TIMEOUT_MS,
);

async function runAll(): Promise<readonly (readonly string[])[]> {
  const ends: (readonly string[])[] = [];
  for (const seed of SEEDS) ends.push(await trySeed(seed, () => runSeed(seed)));
  return ends;
}
