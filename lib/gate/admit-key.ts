import type { ListOutcome, Page } from '../customers-api/outcome.ts';
import { defined } from '../defined.ts';
import {
  type AdmissionDecision,
  afterCheck,
  announced,
  type Credential,
  decideAdmission,
  type Organization,
  runningCheck,
  withoutCheck,
} from './organization.ts';
import { SAMPLED_LIST, showsSame } from './organization-sample.ts';
import { WOKEN } from './pause.ts';
import type { Clock, Gate, Gates, OrganizationEvents, PageRequest, Random } from './ports.ts';

export interface AdmissionPorts {
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly random: Pick<Random, 'token'>;
  readonly gates: Pick<Gates, 'read' | 'replaceOrganization'>;
  /** Absent in functions that may not publish: then the next caller that may publishes the change. */
  readonly events?: OrganizationEvents;
}

export type SampleAnswer<Stop> =
  | { readonly kind: 'page'; readonly page: Page }
  /** There is no such page, or the API refuses it: see {@link isNoPage}. */
  | { readonly kind: 'no-page' }
  /** No answer that shows anything. */
  | { readonly kind: 'stopped'; readonly stop: Stop };

export type Admission<Stop> =
  /** The credential belongs to `organization`. The gate is as it is now. */
  | { readonly kind: 'admitted'; readonly organization: Organization; readonly gate: Gate }
  /** Another caller compares the sample. */
  | { readonly kind: 'being-checked'; readonly retryAtMs: number }
  | { readonly kind: 'stopped'; readonly stop: Stop };

/**
 * Whether the API answered that it does not give this page: waiting changes nothing. If the key were held up, nothing
 * could ever be sent with it.
 */
export function isNoPage(outcome: ListOutcome): boolean {
  return outcome.kind === 'refused' && outcome.status !== undefined;
}

/** As many callers at once are unlikely: each waits while one of them checks. */
const MAX_TRIES = 10;
/** A check is one request, usually a fraction of a second. */
const CHECK_RETRY_MS = 2_000;
/** Most that a caller waits for the event bus, in the middle of its own work: usually it takes some milliseconds. */
const PUBLISH_MS = 1_000;

/**
 * Finds out to which organization a credential belongs before it is used for anything that was begun with another
 * one. Most often that is known already. Otherwise labels decide, or one request for the page of the sample.
 *
 * @param ask Sends the request, once, and records in the gate what its answer asks for.
 * @throws What a port throws.
 */
export async function admitKey<Stop>(
  ports: AdmissionPorts,
  { connection, candidate, gate }: { connection: string; candidate: Credential; gate: Gate },
  ask: (request: PageRequest) => Promise<SampleAnswer<Stop>>,
): Promise<Admission<Stop>> {
  const { clock, random } = ports;
  let seen = gate;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const decision = decideAdmission(seen, candidate, random.token(), clock.now());
    if (decision.kind === 'known') {
      return admitted(ports, connection, seen, decision.organization);
    }
    if (decision.kind === 'being-checked') {
      const retryAtMs = Math.min(decision.untilMs, clock.now() + CHECK_RETRY_MS);
      return { kind: 'being-checked', retryAtMs };
    }
    const stored = await replace(ports, connection, seen, decision.next);
    seen = stored.gate;
    if (decision.kind === 'check' && stored.isOurs) {
      const result = await check(ports, { connection, candidate, gate: seen, decision }, ask);
      if (result.kind === 'stopped') return result;
      seen = result.gate;
    }
  }
  throw new Error(
    `The organization of ${connection} was changed by others ${MAX_TRIES} times in a row. Try again.`,
  );
}

interface Checking {
  readonly connection: string;
  readonly candidate: Credential;
  /** With the mark that this caller checks. */
  readonly gate: Gate;
  readonly decision: Extract<AdmissionDecision, { kind: 'check' }>;
}

/** @returns The gate as it is after the check. */
async function check<Stop>(
  ports: AdmissionPorts,
  { connection, candidate, gate, decision }: Checking,
  ask: (request: PageRequest) => Promise<SampleAnswer<Stop>>,
): Promise<
  | { readonly kind: 'checked'; readonly gate: Gate }
  | { readonly kind: 'stopped'; readonly stop: Stop }
> {
  const { next: checked, sample } = decision;
  const { resource, page, perPage, query } = sample;
  const answer = await ask({ list: SAMPLED_LIST, resource, page, query, ...defined({ perPage }) });
  const token = ports.random.token();
  if (answer.kind === 'stopped') {
    await replace(ports, connection, gate, withoutCheck(checked, token));
    return answer;
  }
  const isSame = answer.kind === 'page' && showsSame(sample, answer.page);
  const next = afterCheck(checked, candidate, isSame, { token, nowMs: ports.clock.now() });
  await replace(ports, connection, gate, next);
  // The page may have come with a wait.
  return { kind: 'checked', gate: await ports.gates.read(connection) };
}

/** Stores `next` unless another caller was first. A write whose answer was lost is recognized by its token. */
async function replace(
  { gates }: AdmissionPorts,
  connection: string,
  seen: Gate,
  next: Organization,
): Promise<{ readonly isOurs: boolean; readonly gate: Gate }> {
  const { organization, pace, sample, ...rest } = seen;
  if (await gates.replaceOrganization(connection, next, organization)) {
    const learned = next.id === organization?.id ? defined({ pace, sample }) : {};
    return { isOurs: true, gate: { ...rest, ...learned, organization: next } };
  }
  const gate = await gates.read(connection);
  return { isOurs: gate.organization?.writeToken === next.writeToken, gate };
}

async function admitted(
  ports: AdmissionPorts,
  connection: string,
  gate: Gate,
  organization: Organization,
): Promise<Extract<Admission<never>, { kind: 'admitted' }>> {
  const admission = { kind: 'admitted', organization, gate } as const;
  const { unannounced } = organization;
  const { events, clock } = ports;
  // The result of a running check is stored only if nobody else writes meanwhile.
  const isBeingChecked = runningCheck(organization, clock.now()) !== undefined;
  if (unannounced === undefined || events === undefined || isBeingChecked) return admission;
  const { previousId, ...change } = unannounced;
  const tell = async () => {
    await events.publish({
      id: `${connection}/organization-changed/${organization.id}`,
      kind: 'organization-changed',
      connection,
      organizationId: organization.id,
      previousOrganizationId: previousId,
      ...change,
    });
    await replace(ports, connection, gate, announced(organization, ports.random.token()));
  };
  // The next caller tells what this one cannot. Exports and writes publish events of their own, which tell of an outage.
  await atMost(
    PUBLISH_MS,
    tell().catch(() => undefined),
    clock,
  );
  return admission;
}

/** Waits no longer for work that goes on. */
async function atMost(
  mostMs: number,
  work: Promise<unknown>,
  { sleep }: Pick<Clock, 'sleep'>,
): Promise<void> {
  const isOver = new AbortController();
  try {
    await Promise.race([work, sleep(mostMs, isOver.signal)]);
  } finally {
    isOver.abort(WOKEN);
  }
}
