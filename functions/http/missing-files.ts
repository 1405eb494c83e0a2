import type { ExportState } from '../../lib/exports/export-state.ts';
import { type Problem, problem } from './problem.ts';

/** @param has What only a completed export has, such as `files that count`. */
export function notCompleted(
  status: Exclude<ExportState['status'], 'completed'> | 'queued',
  has: string,
): Problem {
  const todo =
    status === 'failed' || status === 'cancelled'
      ? 'What it stored is no whole list. Start another one.'
      : 'Ask again when it is completed.';
  const detail = `The export is ${status}. Only a completed one has ${has}. ${todo}`;
  return problem('not-completed', detail, { exportStatus: status });
}

export function filesGone(key: string): Problem {
  return problem(
    'files-gone',
    `${key} is not in the bucket any more: the ledger remembers an export for historyDays, S3 keeps its files as long as keepExports or a rule of yours says. Start another export.`,
  );
}
