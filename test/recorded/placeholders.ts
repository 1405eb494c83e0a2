/** Text that differs from run to run, and what stands for it. */
export type Changing = readonly [pattern: RegExp | string, name: string];

/** Each different text of these gets a number, so that what was the same still looks the same. */
const NUMBERED: readonly Changing[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'uuid'],
  // The random end of a part's name, so that a part which is stored twice is no part of another's.
  [/(?<=\bpart-\d{5}-)[0-9a-f]{8}(?=\.)/g, 'token'],
  [/(?<=\/changes-(?:\d{5}-)?)[0-9a-f]{16}(?=\.)/g, 'hash'],
  [/(?<=\b(?:localhost|127\.0\.0\.1):)\d{2,5}\b/g, 'port'],
  // An Idempotency-Key that a write was given.
  [/\b[0-9a-f]{32}\b/g, 'key'],
  // Numbers of requests over all connections, which take turns as they come.
  [/\bsimulator-\d+\b/g, 'api request'],
];

const ISO_TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const EPOCH_TIME = /\b\d{13}\b/g;
const MINUTE_MS = 60_000;

/**
 * Replaces what differs from run to run; everything else stays to the byte.
 *
 * @param startedAtMs Earlier times are data, such as the day on which a customer was made.
 * @param others Besides ids, tokens, ports and times.
 */
export class Placeholders {
  readonly #startedAtMs: number;
  readonly #patterns: readonly Changing[];
  readonly #seen = new Map<string, Map<string, number>>();
  #firstTimeMs: number | undefined;

  constructor(startedAtMs: number, others: readonly Changing[] = []) {
    this.#startedAtMs = startedAtMs;
    this.#patterns = [...others, ...NUMBERED];
  }

  /**
   * Times are told in minutes after the first one of the value: seconds depend on the machine, while
   * deadlines and long waits are hours away.
   */
  in(value: unknown): unknown {
    this.#firstTimeMs = undefined;
    return this.#inValue(value);
  }

  #inValue(value: unknown): unknown {
    if (typeof value === 'string') return this.#inText(value);
    if (typeof value === 'number') return this.#isTime(value) ? this.#time(value) : value;
    if (Array.isArray(value)) return value.map((each) => this.#inValue(each));
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value);
    return Object.fromEntries(
      members.map(([name, member]) => [this.#inText(name), this.#inMember(name, member)]),
    );
  }

  /** How well bytes are compressed depends on the machine's zlib. */
  #inMember(name: string, member: unknown): unknown {
    const isCompressed = name === 'storedBytes' && typeof member === 'number' && member > 0;
    return isCompressed ? '<compressed bytes>' : this.#inValue(member);
  }

  #inText(text: string): string {
    const withoutIds = this.#patterns.reduce(
      (replaced, [pattern, name]) =>
        replaced.replaceAll(pattern, (found) => `<${name} ${this.#numberOf(name, found)}>`),
      text,
    );
    return withoutIds
      .replace(ISO_TIME, (found) => this.#timeOr(Date.parse(found), found))
      .replace(EPOCH_TIME, (found) => this.#timeOr(Number(found), found));
  }

  #numberOf(name: string, found: string): number {
    const numbers = this.#seen.get(name) ?? new Map<string, number>();
    this.#seen.set(name, numbers);
    const number = numbers.get(found) ?? numbers.size + 1;
    numbers.set(found, number);
    return number;
  }

  #timeOr(ms: number, text: string): string {
    return this.#isTime(ms) ? this.#time(ms) : text;
  }

  /** Up to the year 2100, so that other large numbers are left alone. */
  #isTime(ms: number): boolean {
    return ms >= this.#startedAtMs - MINUTE_MS && ms < Date.UTC(2100, 0);
  }

  #time(ms: number): string {
    this.#firstTimeMs ??= ms;
    const minutes = Math.round((ms - this.#firstTimeMs) / MINUTE_MS);
    return minutes === 0 ? '<time>' : `<time + ${minutes} min>`;
  }
}
