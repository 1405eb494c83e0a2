/** S3 takes some 20 ms for each. */
const READS_AT_ONCE = 16;

/** Does work on many objects of the store, on some of them at the same time. Results are in the order of the items. */
export async function someAtOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += READS_AT_ONCE) {
    results.push(...(await Promise.all(items.slice(from, from + READS_AT_ONCE).map(work))));
  }
  return results;
}
