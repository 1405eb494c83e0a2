import { setTimeout as wait } from 'node:timers/promises';
import { randomOf } from '../../../../infra/simulator/random.ts';
import type { ExportState } from '../../../../lib/exports/export-state.ts';
import { wakeUpOf } from '../../../../lib/exports/export-steps.ts';
import type { Operator } from './operator.ts';

/** When what happens, in requests that the API has got; all from the seed. */
export interface ChaosPlan {
  readonly kills: readonly { readonly request: number; readonly afterMs: number }[];
  readonly loseFrom: number;
}

/** What was done to an export. */
export interface Damage {
  readonly kills: number;
  readonly duplicates: number;
  /** Wake-ups that were lost, so that nothing but the sweep could go on. */
  readonly losses: number;
}

type Disturb = (state: ExportState) => Promise<void>;

const KILLS = 3;
/** Of more than 60 requests, so that all of it happens before the end. */
const LAST_REQUEST = 45;
/** Within this time after a request a step stores its part, commits and requeues. */
const MAX_KILL_DELAY_MS = 150;
/** A message that is this late is lost: the others arrive within a tenth of it. */
const LATE_MS = 1_000;

export function chaosPlan(seed: number): ChaosPlan {
  const random = randomOf(seed);
  const request = () => 2 + Math.floor(random() * (LAST_REQUEST - 2));
  const kills = Array.from({ length: KILLS }, () => ({
    request: request(),
    afterMs: Math.floor(random() * MAX_KILL_DELAY_MS),
  }));
  return { kills: kills.toSorted((a, b) => a.request - b.request), loseFrom: request() };
}

/**
 * Runs an export to its end while every wake-up is sent twice, the worker is killed and a message is lost.
 *
 * @param requests How many requests the API has got.
 */
export async function runDamaged(
  operator: Operator,
  connection: string,
  exportId: string,
  plan: ChaosPlan,
  requests: () => number,
): Promise<{ readonly state: ExportState; readonly damage: Damage }> {
  const duplicator = duplicatorOf(operator);
  const loser = loserOf(operator, () => requests() >= plan.loseFrom);
  const kill = killerOf(operator, plan, requests);
  const state = await operator.watch(connection, exportId, async (state) => {
    if (state.status !== 'running') return true;
    // A duplicate would be the message that was to be lost.
    if (!loser.isAtIt()) await duplicator.disturb(state);
    await kill(state);
    await loser.disturb(state);
    return false;
  });
  const damage = {
    kills: operator.killedInvocations(),
    duplicates: duplicator.duplicates(),
    losses: loser.losses(),
  };
  return { state, damage };
}

function duplicatorOf(operator: Operator) {
  const steps = new Set<number>();
  const disturb: Disturb = async (state) => {
    if (!state.wakeUpSent || steps.has(state.step)) return;
    steps.add(state.step);
    await operator.send(wakeUpOf(state));
  };
  return { disturb, duplicates: () => steps.size };
}

function killerOf(operator: Operator, { kills }: ChaosPlan, requests: () => number): Disturb {
  return async (state) => {
    const next = kills[operator.killedInvocations()];
    if (next === undefined || requests() < next.request || state.lease === undefined) return;
    await wait(next.afterMs);
    operator.killWorker();
  };
}

/** Loses the delayed wake-up of a throttled export; the sweep has to find out. */
function loserOf(operator: Operator, isTime: () => boolean) {
  let lost: ExportState | undefined;
  let losses = 0;
  const disturb: Disturb = async (state) => {
    const isWaiting = state.lease === undefined && state.notBeforeMs > Date.now();
    if (losses === 0 && lost?.step !== state.step && isWaiting && isTime()) {
      await operator.loseMessages();
      lost = state;
    }
    const isStuck = state.lease === undefined && state.step === lost?.step;
    if (!isStuck || Date.now() < state.notBeforeMs + LATE_MS) return;
    losses = 1;
    await operator.sweep();
  };
  return { disturb, losses: () => losses, isAtIt: () => losses === 0 && isTime() };
}
