import { readFile } from 'node:fs/promises';
import { SettingError } from '../../../lib/errors.ts';
import { parseGiven } from '../../../lib/json/parse-given.ts';
import { fileProblem } from '../../command-line/file-problem.ts';
import { shownPlace } from '../../command-line/option-table.ts';
import { jsonProblem } from '../../settings/json-problem.ts';
import type { StartOptions } from './start-options.ts';

/** What the simulated API can do with customers. */
const DEMO_OPERATIONS: readonly object[] = [
  { name: 'create', method: 'POST', resource: 'customers', acceptsIdempotencyKey: true },
  { name: 'change', method: 'PATCH', resource: 'customers/{id}', acceptsIdempotencyKey: true },
  {
    name: 'delete',
    method: 'DELETE',
    resource: 'customers/{id}',
    acceptsIdempotencyKey: false,
    check: { kind: 'read', resource: 'customers/{params.id}', proves: 'absent', settleSeconds: 0 },
  },
];

export interface ServedOperations {
  /** As the setting `operations`; none: there are no routes of writes. */
  readonly operations: readonly unknown[];
  /** The body of a request for a write, as JSON. */
  readonly example?: string;
}

/**
 * What may be written: by a file, else what the simulated API can do.
 *
 * @throws SettingError naming `--operations` when the file cannot be read.
 */
export async function servedOperations(
  options: Pick<StartOptions, 'serve' | 'baseUrl'>,
): Promise<ServedOperations> {
  const { serve, baseUrl } = options;
  if (serve?.operationsFile !== undefined) {
    return { operations: await operationsIn(serve.operationsFile) };
  }
  if (serve === undefined || baseUrl !== undefined) return { operations: [] };
  const example = JSON.stringify({ operation: 'create', body: { name: 'Ada' } });
  return { operations: DEMO_OPERATIONS, example };
}

async function operationsIn(file: string): Promise<readonly unknown[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw fileProblem('--operations', 'read', file, error);
  });
  const operations = parseGiven(text, '--operations', shownPlace);
  if (Array.isArray(operations)) return operations;
  const problem = jsonProblem(text) ?? 'it holds another JSON value';
  throw new SettingError(
    '--operations',
    `expected a list of operations as JSON in ${file}: ${problem}`,
  );
}
