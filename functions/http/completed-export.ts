import type { ExportState } from '../../lib/exports/export-state.ts';
import { findExport } from '../../lib/exports/find-export.ts';
import type { Ledger } from '../../lib/exports/ports.ts';
import { type Problem, problem } from './problem.ts';
import { unknownExport } from './show-exports.ts';

/** The export, once it is completed. @param has What only a completed one has, such as `files that count`. */
export async function completedExport(
  ledger: Pick<Ledger, 'readExport' | 'readLine'>,
  connection: string,
  exportId: string,
  has: string,
): Promise<{ readonly kind: 'completed'; readonly state: ExportState } | Problem> {
  const found = await findExport(ledger, connection, exportId);
  if (found === undefined) return unknownExport(connection);
  const status = found.kind === 'queued' ? 'queued' : found.state.status;
  if (found.kind === 'begun' && status === 'completed') {
    return { kind: 'completed', state: found.state };
  }
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
