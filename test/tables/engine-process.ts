/**
 * Answers questions in SQL by DuckDB, in a process of its own, since it is a native library.
 *
 *     node engine-process.ts MODULE < QUESTIONS > ANSWERS
 *
 * `MODULE` is the main file of `@duckdb/node-api`. Both are JSON, as in engine.ts.
 */
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import * as v from 'valibot';
import type { Answer } from './engine.ts';

const QuestionsSchema = v.object({
  setup: v.array(v.string()),
  queries: v.record(v.string(), v.string()),
});

const { setup, queries } = v.parse(QuestionsSchema, JSON.parse(await text(process.stdin)));
const { DuckDBInstance } = await import(pathToFileURL(process.argv[2] ?? '').href);
const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();
for (const statement of setup) await connection.run(statement);
const answers: Record<string, Answer> = {};
for (const [name, sql] of Object.entries(queries)) answers[name] = await answerTo(sql);
process.stdout.write(JSON.stringify(answers));

async function answerTo(sql: string): Promise<Answer> {
  try {
    const reader = await connection.runAndReadAll(sql);
    // Numbers beyond 2^53 come as text.
    return { kind: 'rows', rows: reader.getRowObjectsJson() };
  } catch (error) {
    return { kind: 'failed', message: String(error) };
  }
}
