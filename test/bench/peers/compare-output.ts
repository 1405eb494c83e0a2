import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** How an exporter's files differ from what the API has. */
export interface OutputCheck {
  readonly records: number;
  /** Records of the API that are not at their place in the files, by id or by their absence. */
  readonly wrongIds: number;
  /** Records whose JSON text is not the API's. */
  readonly changedBytes: number;
}

/** Compares record by record, in the order of the list. */
export async function compareOutput(
  folder: string,
  truth: readonly string[],
): Promise<OutputCheck> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.ndjson.gz')).sort();
  const texts = await Promise.all(
    files.map(async (name) => gunzipSync(await readFile(join(folder, name))).toString()),
  );
  const lines = texts.join('').split('\n').slice(0, -1);
  const count = Math.max(lines.length, truth.length);
  const differs = (read: (text: string | undefined) => string | undefined) =>
    Array.from({ length: count }, (_, index) => read(lines[index]) !== read(truth[index])).filter(
      Boolean,
    ).length;
  return {
    records: lines.length,
    wrongIds: differs(idOf),
    changedBytes: differs((text) => text),
  };
}

/** As text: as a number, half of them are the same. */
function idOf(record: string | undefined): string | undefined {
  return /"id":\s*(\d+)/.exec(record ?? '')?.[1];
}
