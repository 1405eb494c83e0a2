import { randomUUID } from 'node:crypto';
import type { AccountPlace } from '../../template/place.ts';
import type { EventPattern } from './event-pattern.ts';
import type { Target, Targets } from './targets.ts';

/** An event as rules and targets see it (EventBridge user guide, "Event structure"). */
export interface BusEvent {
  readonly version: '0';
  readonly id: string;
  readonly 'detail-type': string;
  readonly source: string;
  readonly account: string;
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface NewEvent {
  readonly source: string;
  readonly detailType: string;
  readonly detail: Readonly<Record<string, unknown>>;
  /** The detail as it was put, which targets get. @default - `detail`, printed */
  readonly detailText?: string;
  readonly resources: readonly string[];
  /** Unix time in milliseconds. @default now */
  readonly timeMs?: number;
}

interface Rule {
  readonly arn: string;
  readonly bus: string;
  /** `undefined` for a rule with a schedule. */
  readonly pattern: EventPattern | undefined;
  readonly targets: readonly Target[];
}

export type EventBuses = ReturnType<typeof createEventBuses>;

/** The event buses of a stack and the `default` one. */
export function createEventBuses(place: AccountPlace, targets: Targets) {
  const buses = new Set(['default']);
  let rules: readonly Rule[] = [];
  const log: { bus: string; event: BusEvent }[] = [];

  return {
    addBus(name: string): void {
      buses.add(name);
    },
    hasBus: (name: string) => buses.has(name),
    addRule(rule: Rule): void {
      rules = [...rules, rule];
    },
    removeRule(arn: string): void {
      rules = rules.filter((rule) => rule.arn !== arn);
    },
    /** Puts an event on a bus and gives its id; on a bus that does not exist it is dropped. */
    put(bus: string, newEvent: NewEvent): string {
      const event = envelope(newEvent, place);
      if (!buses.has(bus)) return event.id;
      log.push({ bus, event });
      for (const rule of rules) {
        if (rule.bus === bus && rule.pattern?.(event)) deliver(rule, event, newEvent.detailText);
      }
      return event.id;
    },
    /** Gives an event to a rule's targets, whatever its pattern: what a rule with a schedule does. */
    fire: (rule: Rule, newEvent: NewEvent) =>
      deliver(rule, envelope(newEvent, place), newEvent.detailText),
    /** Every event that was put, oldest first, with its bus. */
    log,
  };

  function deliver(rule: Rule, event: BusEvent, detailText: string | undefined): void {
    const text = eventText(event, detailText);
    for (const target of rule.targets) {
      targets.deliver(target, text, { kind: 'rule', arn: rule.arn });
    }
  }
}

/** What AWS makes of digits and members of the same name is not documented; nothing is lost here. */
function eventText(event: BusEvent, detailText: string | undefined): string {
  const { detail, ...rest } = event;
  return `${JSON.stringify(rest).slice(0, -1)},"detail":${detailText ?? JSON.stringify(detail)}}`;
}

function envelope(
  { source, detailType, detail, resources, timeMs = Date.now() }: NewEvent,
  { accountId, region }: AccountPlace,
): BusEvent {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': detailType,
    source,
    account: accountId,
    // Whole seconds, as EventBridge writes it.
    time: `${new Date(timeMs).toISOString().slice(0, 19)}Z`,
    region,
    resources,
    detail,
  };
}

/** The name of a bus that a rule or a call gives as name or ARN. */
export function busNameOf(nameOrArn: unknown): string {
  return typeof nameOrArn === 'string' ? nameOrArn.replace(/^arn:.*:event-bus\//, '') : 'default';
}
