import { expect, test } from '@jest/globals';
import { CASES } from './cases.ts';
import { contendersOf, GROUPS } from './contenders.ts';
import { processorsOf, SHARED_PROCESSORS, secondsOfAll, type Turn, takeTurns } from './turns.ts';

const RUNS = 5;

const TURNS: readonly Turn[] = CASES.flatMap((peerCase) =>
  contendersOf(peerCase, GROUPS).flatMap((contender) =>
    Array.from({ length: RUNS }, (_, run) => ({ peerCase, contender, run })),
  ),
);

test('takes each turn once: what needs the processors alone, what waits beside as much as fits', async () => {
  const waiting = TURNS.filter(({ run, peerCase }) => run === 0 && peerCase.pages < 300);
  const taken: Turn[] = [];
  const running = new Set<Turn>();
  await takeTurns(waiting, async (turn) => {
    running.add(turn);
    const shares = [...running].map(processorsOf);
    if (shares.includes(undefined)) expect(running.size).toBe(1);
    else
      expect(shares.reduce((sum: number, share = 0) => sum + share, 0)).toBeLessThanOrEqual(
        SHARED_PROCESSORS,
      );
    await new Promise((resolve) => setImmediate(resolve));
    running.delete(turn);
    taken.push(turn);
  });
  expect(new Set(taken)).toEqual(new Set(waiting));
  expect(taken).toHaveLength(waiting.length);
});

test('throws what a turn throws', async () => {
  const failing = takeTurns(TURNS.slice(0, 3), () => Promise.reject(new Error('No.')));
  await expect(failing).rejects.toThrow('No.');
});

test('takes twenty minutes for all cases, five times', () => {
  expect(secondsOfAll(TURNS) / 60).toBeLessThanOrEqual(20);
});
