import { setTimeout as wait } from 'node:timers/promises';
import { randomOf } from '../../../../infra/simulator/random.ts';
import type { ExportState } from '../../../../lib/exports/export-state.ts';
import { wakeUpOf } from '../../../../lib/exports/export-steps.ts';
import { STALL_GRACE_MS } from '../../../../lib/steps/sweep.ts';
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
/** Of the pages of the list: requests that are throttled come on top, so that all of it happens before the end. */
const LAST_SHARE = 0.75;
/** Within this time after a request a step stores its part, commits and requeues. */
const MAX_KILL_DELAY_MS = 150;
/** Longer than the message of a killed worker is hidden: what stands still for so long has no message. */
const STANDSTILL_MS = 5_000;
/** Longer than the sweep's grace. */
const UNTIL_SWEEP_MS = STALL_GRACE_MS + 60_000;

export function chaosPlan(seed: number, pages: number): ChaosPlan {
  const random = randomOf(seed);
  const request = () => 2 + Math.floor(random() * (pages * LAST_SHARE - 2));
  const kills = Array.from({ length: KILLS }, () => ({
    request: request(),
    afterMs: Math.floor(random() * MAX_KILL_DELAY_MS),
  }));
  return { kills: kills.toSorted((a, b) => a.request - b.request), loseFrom: request() };
}

/**
 * Runs an export to its end while every wake-up is sent twice, the worker is killed and a message is lost. Meanwhile
 * the sweep runs when it would run: long after the export has come to a standstill.
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
  const sweeper = sweeperOf(operator);
  const loser = loserOf(operator, sweeper, () => requests() >= plan.loseFrom);
  const duplicator = duplicatorOf(operator, loser);
  const kill = killerOf(operator, plan, requests);
  const damage = (): Damage => ({
    kills: operator.killedInvocations(),
    duplicates: duplicator.duplicates(),
    losses: loser.losses(),
  });
  try {
    const state = await operator.watch(connection, exportId, async (state) => {
      if (state.status !== 'running') return true;
      await duplicator.disturb(state);
      await kill(state);
      await loser.disturb(state);
      await sweeper.disturb(state);
      return false;
    });
    return { state, damage: damage() };
  } catch (cause) {
    const chaos = { plan, requests: requests(), damage: damage(), sweptSteps: [...sweeper.steps] };
    throw new Error(`in chaos: ${JSON.stringify(chaos)}`, { cause });
  }
}

function duplicatorOf(operator: Operator, loser: ReturnType<typeof loserOf>) {
  const steps = new Set<number>();
  const disturb: Disturb = async (state) => {
    // A duplicate would be the message that was to be lost.
    if (loser.isAtIt(state) || !state.wakeUpSent || steps.has(state.step)) return;
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

/**
 * Loses the delayed wake-up of a throttled export. If another message was on its way, such as the doubled one that a
 * worker is just requeueing, the export goes on, and the next wake-up is lost.
 */
function loserOf(operator: Operator, { steps }: Sweeper, isTime: () => boolean) {
  const lostSteps = new Set<number>();
  const losses = () => [...lostSteps].filter((step) => steps.has(step)).length;
  const disturb: Disturb = async ({ step, lease, notBeforeMs }) => {
    const isWaiting = lease === undefined && notBeforeMs > Date.now();
    if (losses() > 0 || lostSteps.has(step) || !isWaiting || !isTime()) return;
    await operator.loseMessages();
    lostSteps.add(step);
  };
  const isAtIt = ({ step }: ExportState) => lostSteps.has(step) || (losses() === 0 && isTime());
  return { disturb, losses, isAtIt };
}

type Sweeper = ReturnType<typeof sweeperOf>;

/** Sweeps once an export has stood still for long. */
function sweeperOf(operator: Operator) {
  const steps = new Set<number>();
  let sweptAtMs = 0;
  let passed = '';
  const disturb: Disturb = async (state) => {
    const { writeToken, updatedAtMs, notBeforeMs, lease, step } = state;
    const sinceMs = Math.max(updatedAtMs, notBeforeMs, lease?.untilMs ?? 0, sweptAtMs);
    if (Date.now() < sinceMs + STANDSTILL_MS) return;
    if (passed !== writeToken) await operator.letPass(state, UNTIL_SWEEP_MS);
    passed = writeToken;
    await operator.sweep();
    sweptAtMs = Date.now();
    steps.add(step);
  };
  return { disturb, steps };
}
