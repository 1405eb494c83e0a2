import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';

/** Where an export and the truth differ first; `undefined` when they are the same, record by record. */
export async function firstDifference(
  partFiles: readonly string[],
  truth: readonly string[],
): Promise<string | undefined> {
  let at = 0;
  for (const file of partFiles) {
    const lines = createInterface({ input: createReadStream(file).pipe(createGunzip()) });
    for await (const line of lines) {
      if (line !== truth[at]) return `record ${at + 1} is not the one that the API has there`;
      at++;
    }
  }
  return at === truth.length ? undefined : `${at} records instead of ${truth.length}`;
}
