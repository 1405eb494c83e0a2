import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** How an exporter's files differ from what the API has. */
export interface OutputCheck {
  readonly records: number;
  /** Records of the API that are in no file. */
  readonly lost: number;
  /** Records in the files that are there already, or that the API does not have. */
  readonly doubled: number;
  /** Records with an id that is not the API's. */
  readonly wrongIds: number;
  /** Records whose JSON text is not the API's. */
  readonly changedBytes: number;
}

/** Compares record by record, whatever their order. */
export async function compareOutput(
  folder: string,
  truth: readonly string[],
): Promise<OutputCheck> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.ndjson.gz')).sort();
  const texts = await Promise.all(
    files.map(async (name) => gunzipSync(await readFile(join(folder, name))).toString()),
  );
  return compareRecords(texts.join('').split('\n').slice(0, -1), truth);
}

/** @param truth The API's records, each once. */
export function compareRecords(records: readonly string[], truth: readonly string[]): OutputCheck {
  const missing = new Map(truth.map((text) => [numberOf(text), text]));
  const check = { records: records.length, lost: 0, doubled: 0, wrongIds: 0, changedBytes: 0 };
  for (const text of records) {
    const number = numberOf(text);
    const expected = missing.get(number);
    missing.delete(number);
    if (expected === undefined) check.doubled += 1;
    else {
      check.wrongIds += idOf(text) === idOf(expected) ? 0 : 1;
      check.changedBytes += text === expected ? 0 : 1;
    }
  }
  return { ...check, lost: missing.size };
}

/** Names a record like its id, as a text: no client changes it. */
function numberOf(record: string): string | undefined {
  return /"number":\s*"([^"]*)"/.exec(record)?.[1];
}

/** As text: as a number, half of them are the same. */
function idOf(record: string): string | undefined {
  return /"id":\s*(\d+)/.exec(record)?.[1];
}
