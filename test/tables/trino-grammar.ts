import { join } from 'node:path';
import { buildSync } from 'esbuild';
import * as v from 'valibot';
import { installPackages } from '../bench/install-packages.ts';

const ProblemsSchema = v.array(v.object({ startLine: v.number(), message: v.string() }));

/**
 * What the grammar of Trino says against statements, each with its line. Version 3 of Athena's engine is made from
 * Trino ("Athena engine version 3"), and its SQL is Trino's.
 *
 * @throws Error when the grammar is not there yet and cannot be installed.
 */
export async function trinoProblems(
  statements: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const engine = installPackages('test/tables/engine');
  if (engine.kind === 'not-installed') throw new Error(`There is no grammar. ${engine.why}`);
  // As it is published only bundlers find its modules.
  const bundle = join(engine.nodeModules, '../trino.mjs');
  buildSync({
    entryPoints: [join(engine.nodeModules, 'dt-sql-parser/dist/parser/trino/index.js')],
    outfile: bundle,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
  const { TrinoSQL } = await import(bundle);
  const grammar = new TrinoSQL();
  return statements.map((sql) =>
    v
      .parse(ProblemsSchema, grammar.validate(sql))
      .map(({ startLine, message }) => `line ${startLine}: ${message}`),
  );
}
