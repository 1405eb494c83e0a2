import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import * as v from 'valibot';
import { installPackages } from '../bench/install-packages.ts';

/** What DuckDB says to a query. */
export type Answer = v.InferOutput<typeof AnswerSchema>;

const AnswerSchema = v.variant('kind', [
  v.object({ kind: v.literal('rows'), rows: v.array(v.record(v.string(), v.unknown())) }),
  v.object({ kind: v.literal('failed'), message: v.string() }),
]);
const AnswersSchema = v.record(v.string(), AnswerSchema);

/** Of all rows of all answers, as JSON. */
const MAX_ANSWER_BYTES = 1_000_000_000;

/**
 * Puts queries, by any name, to a database that begins empty.
 *
 * @param setup Statements that make what the queries read.
 * @throws Error when the engine is not there yet and cannot be installed.
 */
export function askEngine(
  setup: readonly string[],
  queries: Readonly<Record<string, string>>,
): Readonly<Record<string, Answer>> {
  const engine = installPackages('test/tables/engine');
  if (engine.kind === 'not-installed') throw new Error(`DuckDB is not installed. ${engine.why}`);
  const module = join(engine.nodeModules, '@duckdb/node-api/lib/index.js');
  const answers = execFileSync(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      join(import.meta.dirname, 'engine-process.ts'),
      module,
    ],
    {
      input: JSON.stringify({ setup, queries }),
      maxBuffer: MAX_ANSWER_BYTES,
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  return v.parse(AnswersSchema, JSON.parse(answers.toString()));
}
