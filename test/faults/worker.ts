import type { Fault } from './fault-plan.ts';
import type { VirtualClock } from './virtual-clock.ts';

interface Surroundings {
  readonly clock: VirtualClock;
  readonly random: () => number;
  faultOf(name: string): Fault | undefined;
  /** Told of calls that are under way while a process stands still. */
  stoodStill?(calls: ReadonlySet<string>): void;
}

/** One invocation: its calls take time, may go wrong, and never come back once it is dead. */
export class Worker {
  readonly name: string;
  /** Random tokens that it made: one of them owns its lease. */
  readonly tokens = new Set<string>();
  readonly startedAtMs: number;
  readonly death: Promise<never>;
  /** Calls and waits under way, those for its own end left out. */
  waits = 0;
  readonly #world: Surroundings;
  /** By name; who is told of them looks for one that is never made twice at once. */
  readonly #underWay = new Set<string>();
  readonly #timeoutMs: number;
  readonly #endsAtMs: number;
  #isAlive = true;
  #frozenUntilMs = 0;
  #die: (reason: Error) => void = () => undefined;
  readonly #cancelTimeout: () => void;

  constructor(world: Surroundings, name: string, timeoutMs: number) {
    this.#world = world;
    this.name = name;
    this.#timeoutMs = timeoutMs;
    this.startedAtMs = world.clock.now();
    this.#endsAtMs = this.startedAtMs + timeoutMs;
    this.death = new Promise((_, reject) => {
      this.#die = reject;
    });
    // Lambda ends what takes too long; a frozen process is one that Lambda forgot.
    this.#cancelTimeout = world.clock.at(this.#endsAtMs, () => {
      if (this.#frozenUntilMs === 0) this.crash();
    });
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  crash(): void {
    this.#isAlive = false;
    this.#die(new Error(`${this.name} crashed`));
  }

  /** The work is over, in whichever way. */
  end(): void {
    this.#isAlive = false;
    this.#cancelTimeout();
    this.death.catch(() => undefined);
  }

  token(): string {
    const digits = () =>
      Math.floor(this.#world.random() * 2 ** 32)
        .toString(16)
        .padStart(8, '0');
    const token = `${digits()}${digits()}${digits()}${digits()}`;
    this.tokens.add(token);
    return token;
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    const isForItsEnd = ms > this.#timeoutMs / 4;
    if (!isForItsEnd) this.waits++;
    await this.#world.clock.sleep(ms, signal);
    await this.#thawed();
    if (!isForItsEnd) this.waits--;
    return this.#unlessDead(undefined);
  }

  /** @param effect What happens; it may take real time, in which the clock stands still. */
  async call<T>(
    name: string,
    effect: () => T | Promise<T>,
    about: { readonly latencyMs?: number; readonly signal?: AbortSignal } = {},
  ): Promise<T> {
    const { clock, random } = this.#world;
    const fault = this.#world.faultOf(name);
    const latencyMs = about.latencyMs ?? 2 + Math.floor(random() * 10);
    const { signal } = about;
    const pass = (ms: number) => (signal ? clock.sleep(ms, signal) : clock.delay(ms));
    this.waits++;
    if (clock.now() < this.#frozenUntilMs) this.#world.stoodStill?.(new Set([name]));
    this.#underWay.add(name);
    try {
      await this.#unlessDead(undefined);
      if (fault === 'crash-before') this.crash();
      if (fault === 'freeze-before') this.#freeze();
      // A request leaves with the look that allowed it: nothing lies between at which a process could stand still.
      if (name !== 'api') await this.#thawed();
      await pass(Math.ceil(latencyMs / 2));
      await this.#unlessDead(undefined);
      if (fault === 'throw-before') throw new Error(`${name} is out of order`);
      const effected = effect();
      // A value at once: one turn more would change the order of what happens at the same time.
      const result = effected instanceof Promise ? await effected : effected;
      if (fault === 'crash-after') this.crash();
      if (fault === 'freeze-after') this.#freeze();
      if (fault === 'throw-after') throw new Error(`The answer of ${name} was lost`);
      await pass(Math.floor(latencyMs / 2));
      await this.#thawed();
      return await this.#unlessDead(result);
    } finally {
      this.#underWay.delete(name);
      this.waits--;
    }
  }

  #freeze(): void {
    const { clock, random } = this.#world;
    // Beyond the lease, and often beyond the next worker's end.
    this.#world.stoodStill?.(this.#underWay);
    this.#frozenUntilMs = clock.now() + this.#timeoutMs * (1 + random() * 6);
  }

  /** The whole process stands still, with all that it does at the same time. */
  async #thawed(): Promise<void> {
    const { clock } = this.#world;
    const restMs = this.#frozenUntilMs - clock.now();
    if (restMs <= 0) return;
    this.waits++;
    await clock.delay(restMs);
    this.waits--;
  }

  #unlessDead<T>(value: T): Promise<T> {
    return this.#isAlive ? Promise.resolve(value) : new Promise(() => undefined);
  }
}
