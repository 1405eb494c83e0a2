import { type Decision, decide } from './decide.ts';
import { type Profile, profileOf } from './profile.ts';
import type { Reader } from './reader.ts';
import type { DoctorRead, SeenRead } from './seen-read.ts';

/** What an examination needs besides a reader. */
export interface ExamineOptions {
  /** Longest sum of waits that the API may ask for. */
  readonly maxWaitSeconds: number;
  /** @throws whatever ends the examination, as when a person interrupts it. */
  readonly sleep: (seconds: number) => Promise<void>;
  readonly onRead?: (read: DoctorRead, waitSeconds: number) => void;
}

/** Reads a list a few times, one read after the other, and says what that showed. */
export async function examine(
  { read, heldBackSeconds }: Pick<Reader, 'read' | 'heldBackSeconds'>,
  { maxWaitSeconds, sleep, onRead }: ExamineOptions,
): Promise<Profile> {
  const reads: SeenRead[] = [];
  let decision: Decision = decide(reads, maxWaitSeconds);
  while (decision.kind === 'read') {
    onRead?.(decision.read, decision.afterSeconds);
    if (decision.afterSeconds > 0) await sleep(decision.afterSeconds);
    // A timer may be early by a moment, and then the request would not leave.
    for (let rest = heldBackSeconds(); rest !== undefined; rest = heldBackSeconds()) {
      await sleep(rest);
    }
    reads.push(await read(decision.read));
    decision = decide(reads, maxWaitSeconds);
  }
  return profileOf(reads, decision);
}
