import { createLog } from '../../../functions/log/log.ts';
import type { Redact } from '../../../lib/key/redaction.ts';

/** A log that keeps its lines. */
export function recordedLog(redact: Redact = (text) => text) {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  const log = createLog({ redact, write, now: () => 7, functionName: () => 'worker' });
  return { log, lines, records: () => lines.map((line): unknown => JSON.parse(line)) };
}
