import type { ExportState } from './export-state.ts';
import type { ExportPorts } from './ports.ts';

/**
 * Writes `next` in place of `previous`, under a token of its own.
 *
 * @returns What is stored now, or `undefined` when somebody else wrote after `previous` was read.
 */
export async function replaceState(
  ports: Pick<ExportPorts, 'ledger' | 'random'>,
  previous: ExportState,
  next: ExportState,
): Promise<ExportState | undefined> {
  const stored = { ...next, writeToken: ports.random.token() };
  const result = await ports.ledger.writeExport(stored, previous.writeToken);
  return result.kind === 'written' ? stored : undefined;
}
