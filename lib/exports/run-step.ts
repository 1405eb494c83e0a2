import { answerFacts } from '../customers-api/outcome.ts';
import { defined } from '../defined.ts';
import { lookAtGate } from '../gate/gate-look.ts';
import type { GateLook } from '../gate/ports.ts';
import { usableConnection } from '../gate/usable-connection.ts';
import { delaySecondsUntil } from '../steps/delay.ts';
import type { Invocation, Lease } from '../steps/lease.ts';
import {
  afterStep,
  countStepWithoutPage,
  fail,
  halt,
  keyRejected,
  keyUnusable,
  nextStep,
} from './after-step.ts';
import { announceMeanwhile } from './announce.ts';
import { claimState, decideClaim } from './claim.ts';
import { closeExport } from './close-export.ts';
import { type Copied, copyPages } from './copy-pages.ts';
import type { ExportSettings } from './export-settings.ts';
import type { ExportState } from './export-state.ts';
import { finishExport } from './finish-export.ts';
import type { ExportPorts, WakeUp } from './ports.ts';
import { replaceState } from './replace-state.ts';
import { sendWakeUp } from './send-wake-up.ts';
import { type StepReport, stepReport, withPace, withShare } from './step-report.ts';

/**
 * Time kept for what follows the last page: store the part before it and the last one, up to 12 MB each, seven
 * small writes and one message. Each is under a second as a rule; where one hangs until the SDK repeats it, the
 * pages of both parts are fetched again.
 */
const COMMIT_RESERVE_MS = 10_000;

/** A claim can be overtaken by the mark of the wake-up that led here; more than twice is no accident. */
const MAX_CLAIM_TRIES = 3;

/**
 * Handles one wake-up: claims the step, takes pages until something stops it, commits, and sends the next
 * wake-up. Whatever is lost on the way, the ledger alone decides how it goes on.
 *
 * @throws What a port throws: the message is to be reported as failed, so that it comes back.
 */
export async function runStep(
  ports: ExportPorts,
  settings: ExportSettings,
  wakeUp: WakeUp,
  invocation: Invocation,
): Promise<StepReport> {
  for (let tries = 0; tries < MAX_CLAIM_TRIES; tries++) {
    const report = await tryStep(ports, settings, wakeUp, invocation);
    if (report !== undefined) return report;
  }
  return stepReport('retry', 'contended', wakeUp);
}

/** `undefined` when somebody wrote between the look at the state and the claim. */
async function tryStep(
  ports: ExportPorts,
  settings: ExportSettings,
  wakeUp: WakeUp,
  invocation: Invocation,
): Promise<StepReport | undefined> {
  const { connection, exportId } = wakeUp;
  const state = await ports.ledger.readExport(connection, exportId);
  const gate = await lookAtGate(ports, connection);
  const nowMs = ports.clock.now();
  const decision = decideClaim(state, wakeUp, gate, nowMs, settings);
  switch (decision.kind) {
    case 'missing':
      return stepReport('acknowledge', 'missing', wakeUp);
    case 'held':
      return stepReport('retry', 'held', wakeUp);
    case 'over':
    case 'halted':
      await closeExport(ports, decision.state);
      return stepReport('acknowledge', decision.kind, wakeUp, decision.state);
    case 'past':
      if (decision.sendNext) await sendWakeUp(ports, decision.state);
      return stepReport('acknowledge', 'past', wakeUp, decision.state);
    case 'early':
      await ports.queue.send(wakeUp, delaySecondsUntil(decision.untilMs, nowMs));
      return stepReport(
        'acknowledge',
        'early',
        wakeUp,
        decision.state,
        await announceMeanwhile(ports, decision.state),
      );
    case 'claim': {
      const lease = {
        owner: ports.random.token(),
        untilMs: nowMs + Math.max(0, invocation.remainingMs()),
      };
      const claimed = await replaceState(
        ports,
        decision.state,
        claimState(decision.state, lease, nowMs),
      );
      if (claimed === undefined) return undefined;
      const report =
        decision.broken === undefined
          ? await work(ports, settings, wakeUp, claimed, lease, gate)
          : await commit(ports, wakeUp, claimed, fail(claimed, decision.broken, nowMs));
      return withShare(report, claimed.counters);
    }
  }
}

async function work(
  ports: ExportPorts,
  settings: ExportSettings,
  wakeUp: WakeUp,
  claimed: ExportState,
  lease: Lease,
  gate: GateLook,
): Promise<StepReport> {
  if (claimed.end !== undefined) return finish(ports, wakeUp, claimed, claimed.end.atMs);
  const opened = await usableConnection(ports.connections, claimed.connection, gate);
  if (opened.kind !== 'open') return stopWithoutKey(ports, wakeUp, claimed, claimed, opened);

  const { requestsPerSecond = settings.requestsPerSecond } = opened;
  const paced = { ...settings, ...defined({ requestsPerSecond }) };
  const leftMs = lease.untilMs - ports.clock.now();
  const stopAtMs = lease.untilMs - Math.min(COMMIT_RESERVE_MS, leftMs / 2);
  const copied = await copyPages(ports, paced, {
    claimed,
    lease,
    connection: opened,
    gate,
    stopAtMs,
  });
  if (copied.kind === 'overtaken') return stepReport('retry', 'overtaken', wakeUp, claimed);
  const report = await goOn(ports, settings, wakeUp, claimed, opened.keyVersion, copied);
  return withPace(report, copied.requestsPerSecond);
}

/** What follows from why the step stopped copying. */
async function goOn(
  ports: ExportPorts,
  settings: ExportSettings,
  wakeUp: WakeUp,
  claimed: ExportState,
  keyVersion: string,
  { base, state, stop }: Extract<Copied, { kind: 'copied' }>,
): Promise<StepReport> {
  const nowMs = ports.clock.now();
  switch (stop.kind) {
    case 'ended': {
      const ended = await replaceState(ports, base, state);
      if (ended === undefined) return stepReport('retry', 'overtaken', wakeUp, claimed);
      return finish(ports, wakeUp, ended, ended.end?.atMs ?? nowMs);
    }
    case 'key-halted':
    case 'authentication-failure': {
      const facts = stop.kind === 'key-halted' ? {} : answerFacts(stop.outcome);
      return replaceKey(ports, wakeUp, base, state, keyVersion, facts);
    }
    default: {
      const fraction = ports.random.fraction();
      const next = afterStep(claimed, state, stop, nowMs, settings, fraction);
      return commit(ports, wakeUp, base, next);
    }
  }
}

/** The key was changed while a cached one was in use? Then the next step goes on with the new one. */
async function replaceKey(
  ports: ExportPorts,
  wakeUp: WakeUp,
  base: ExportState,
  state: ExportState,
  keyVersion: string,
  facts: ReturnType<typeof answerFacts>,
): Promise<StepReport> {
  const { haltedKeyVersions } = await ports.gates.read(state.connection);
  const gate = { haltedKeyVersions: [...haltedKeyVersions, keyVersion] };
  const opened = await usableConnection(ports.connections, state.connection, gate);
  if (opened.kind !== 'open') return stopWithoutKey(ports, wakeUp, base, state, opened, facts);
  const nowMs = ports.clock.now();
  return commit(ports, wakeUp, base, nextStep(countStepWithoutPage(state), nowMs, nowMs));
}

async function stopWithoutKey(
  ports: ExportPorts,
  wakeUp: WakeUp,
  base: ExportState,
  state: ExportState,
  opened: Exclude<Awaited<ReturnType<typeof usableConnection>>, { kind: 'open' }>,
  facts: ReturnType<typeof answerFacts> = {},
): Promise<StepReport> {
  const reason =
    opened.kind === 'no-key'
      ? keyUnusable(opened)
      : keyRejected(state.connection, opened.keyVersion, facts);
  const halted = halt(state, reason, opened.keyVersion, ports.clock.now());
  return commit(ports, wakeUp, base, halted);
}

async function finish(
  ports: ExportPorts,
  wakeUp: WakeUp,
  state: ExportState,
  endedAtMs: number,
): Promise<StepReport> {
  const completed = await finishExport(ports, state, endedAtMs);
  if (completed === undefined) return stepReport('retry', 'overtaken', wakeUp, state);
  await closeExport(ports, completed);
  return stepReport('acknowledge', 'completed', wakeUp, completed);
}

/** Stores what the step came to and sets off what follows from it. */
async function commit(
  ports: ExportPorts,
  wakeUp: WakeUp,
  base: ExportState,
  next: ExportState,
): Promise<StepReport> {
  const stored = await replaceState(ports, base, next);
  if (stored === undefined) return stepReport('retry', 'overtaken', wakeUp, base);
  if (stored.status !== 'running') {
    await closeExport(ports, stored);
    return stepReport('acknowledge', stored.status, wakeUp, stored);
  }
  const sent = await sendWakeUp(ports, stored);
  const eventProblem = sent === undefined ? undefined : await announceMeanwhile(ports, sent);
  return stepReport('acknowledge', 'goes-on', wakeUp, stored, eventProblem);
}
