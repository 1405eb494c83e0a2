import { type Line, OVERTAKEN_JITTERS } from './limit.ts';
import { countSince } from './meter.ts';
import type { RequestLog } from './request-log.ts';

/** Few throttles by chance are likelier than many: their share is about one in so many. */
const FEW = 20;

/** The shares of throttles are distributed as Beta(1, FEW): FEW k! (n + FEW - 1)! / (k + n + FEW)! */
function fitOfShares(admitted: number, tries: number): number {
  const others = admitted + FEW - 1;
  let fit = Math.log(FEW / (others + tries + 1));
  for (let each = 1; each <= tries; each++) fit += Math.log(each / (others + each));
  return fit;
}

/** The logarithm of how likely the throttles of a log are if each request has the same chance, and that `share`. */
export function weighChance(log: RequestLog, { jitterMs }: Line) {
  let admitted = 0;
  let tries = 0;
  let fit = 0;
  for (const [index, { requests, throttle }] of log.entries()) {
    admitted += requests;
    if (throttle === undefined) continue;
    // Of those that may have overtaken each other only the numbers are known, as of a limit.
    const offMs = OVERTAKEN_JITTERS * jitterMs;
    let [passed, refused] = [countSince(log, index, throttle.atMs - offMs - 1).count, 1];
    for (const behind of throttle.behind) {
      if (behind.afterMs > offMs) {
        fit += logWays(passed, refused);
        [passed, refused] = [0, 0];
      }
      passed += behind.admitted;
      refused += behind.throttled;
      admitted += behind.admitted;
      tries += behind.throttled;
    }
    fit += logWays(passed, refused);
    tries += throttle.tries;
  }
  fit += fitOfShares(admitted, tries);
  return { fit, share: (tries + 1) / (admitted + tries + 1 + FEW) };
}

/** The logarithm of in how many orders so many may have come. */
function logWays(passed: number, refused: number): number {
  let sum = 0;
  for (let each = 1; each <= refused; each++) sum += Math.log((passed + each) / each);
  return sum;
}
