import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
// By `require`, since its types and its ESM disagree about what the default export is.
const {
  default: TestSequencer,
}: typeof import('@jest/test-sequencer') = require('@jest/test-sequencer');

type Tests = Parameters<InstanceType<typeof TestSequencer>['sort']>[0];

/** Suites that wait for processes and whole stacks: one of them alone at the end leaves processors idle. */
const WAITING = /\/test\/(consumers|infra\/local|recorded)\//;

/** After so many of them comes one that computes, for the processor that they leave idle. */
const BETWEEN = 3;

/**
 * The order of the suites. jest begins with those that took longest, and in a fresh clone, where it does not know, with
 * the largest files; here those that wait come first in any case, with others between them.
 */
export default class SuiteSequencer extends TestSequencer {
  override async sort(tests: Tests): Promise<Tests> {
    const sorted = await super.sort(tests);
    const waits = ({ path }: Tests[number]) => WAITING.test(path);
    const computing = sorted.filter((test) => !waits(test));
    const mixed = sorted
      .filter(waits)
      .flatMap((test, index) =>
        index % BETWEEN === BETWEEN - 1 ? [test, ...computing.splice(0, 1)] : [test],
      );
    return [...mixed, ...computing];
  }
}
