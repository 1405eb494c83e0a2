import { type AnswerFacts, answerFacts } from '../customers-api/outcome.ts';
import { defined } from '../defined.ts';
import { type UsableConnection, usableConnection } from '../gate/usable-connection.ts';
import { replaceItem } from '../steps/step-kind.ts';
import { admitStep } from './admit-step.ts';
import { afterStep } from './after-step.ts';
import { idUsed } from './begin-export.ts';
import { type ClaimedStep, commitStep, endStep, overtaken } from './commit-step.ts';
import { type Copied, copyPages } from './copy-pages.ts';
import { type EndedExport, type ExportState, hasEnded } from './export-state.ts';
import {
  countStepWithoutPage,
  fail,
  halt,
  nextStep,
  noKeyReason,
  unbroken,
} from './export-transitions.ts';
import { finishExport } from './finish-export.ts';
import { hasAnswer, isFirstContact } from './first-contact.ts';
import { type StepReport, withPace } from './step-report.ts';

type Progress = Pick<Extract<Copied, { kind: 'copied' }>, 'base' | 'state'>;

/** Does the share of a claimed step, and commits it. */
export async function workOnStep(step: ClaimedStep): Promise<StepReport> {
  const { ports, rules, claimed, lease, gate, stopAtMs } = step;
  if (hasEnded(claimed)) return finish(step, claimed);
  const used = await idUsed(ports.store, claimed);
  if (used !== undefined) return commitStep(step, claimed, fail(claimed, used, ports.clock.now()));
  const opened = await usableConnection(ports.connections, claimed.connection, gate);
  if (opened.kind !== 'open') {
    return stopWithoutKey(step, { base: claimed, state: claimed }, opened, {});
  }
  const { requestsPerSecond = rules.export.requestsPerSecond } = opened;
  const paced = { ...rules.export, ...defined({ requestsPerSecond }) };
  const around = { claimed, lease, connection: opened, gate, stopAtMs };
  const admission = await admitStep(ports, paced, around);
  if (admission.kind === 'organization-changed') {
    return commitStep(step, claimed, fail(admission.counted, admission.reason, ports.clock.now()));
  }
  const copied =
    admission.kind === 'stopped'
      ? { kind: 'copied' as const, base: claimed, state: admission.counted, stop: admission.stop }
      : await copyPages(ports, paced, { ...around, ...admission, claimed: admission.counted });
  if (copied.kind === 'overtaken') return overtaken(step);
  const report = await goOn(step, opened.keyVersion, copied);
  return withPace(report, copied.requestsPerSecond);
}

async function goOn(
  step: ClaimedStep,
  keyVersion: string,
  copied: Extract<Copied, { kind: 'copied' }>,
): Promise<StepReport> {
  const { ports, rules, claimed, kind } = step;
  const { base, state, stop } = copied;
  const nowMs = ports.clock.now();
  switch (stop.kind) {
    case 'ended': {
      const ended = await replaceItem(kind, base, state);
      return ended !== undefined && hasEnded(ended) ? finish(step, ended) : overtaken(step);
    }
    case 'cancelled':
      return overtaken(step);
    case 'key-halted':
      return replaceKey(step, copied, keyVersion, {});
    case 'authentication-failure':
      return replaceKey(step, copied, keyVersion, answerFacts(stop.outcome));
    default: {
      const isUnreachable = stop.kind === 'unavailable' && stop.outcome.reason === 'unreachable';
      const around = {
        nowMs,
        settings: rules.export,
        fraction: ports.random.fraction(),
        isFirstContact: isUnreachable && (await isFirst(step, state)),
      };
      const next = afterStep({ before: claimed, state, stop }, around);
      return commitStep(step, base, next);
    }
  }
}

async function isFirst({ ports, gate, rules, isAttended }: ClaimedStep, state: ExportState) {
  if (isAttended) return !hasAnswer(state);
  return isFirstContact(ports.store, gate, state, rules.lists.keys());
}

/** If the key was replaced while a cached one was in use, the next step continues with the new key. */
async function replaceKey(
  step: ClaimedStep,
  progress: Progress,
  keyVersion: string,
  facts: AnswerFacts,
): Promise<StepReport> {
  const { ports } = step;
  const { base, state } = progress;
  const look = await ports.gates.read(state.connection);
  const gate = { ...look, haltedKeyVersions: [...look.haltedKeyVersions, keyVersion] };
  const opened = await usableConnection(ports.connections, state.connection, gate);
  if (opened.kind !== 'open') return stopWithoutKey(step, progress, opened, facts);
  const nowMs = ports.clock.now();
  return commitStep(step, base, nextStep(countStepWithoutPage(state), nowMs, nowMs));
}

async function stopWithoutKey(
  step: ClaimedStep,
  { base, state }: Progress,
  opened: Exclude<UsableConnection, { kind: 'open' }>,
  facts: AnswerFacts,
): Promise<StepReport> {
  const reason = noKeyReason(state.connection, opened, facts);
  return commitStep(step, base, halt(state, reason, step.ports.clock.now()));
}

async function finish(step: ClaimedStep, state: EndedExport): Promise<StepReport> {
  const { ports } = step;
  const finished = await finishExport(ports, state, step);
  if (finished.kind === 'overtaken') return overtaken(step);
  if (finished.kind === 'lost') {
    return commitStep(step, state, fail(state, finished.reason, ports.clock.now()));
  }
  if (finished.kind === 'unfinished') {
    const nowMs = ports.clock.now();
    return commitStep(step, state, nextStep(unbroken(finished.state), nowMs, nowMs));
  }
  return endStep(step, finished.state, 'completed');
}
