import { createNdjsonFile } from '../ndjson-file.ts';
import type { CustomersPage } from '../page.ts';
import type { Task } from '../task.ts';

/**
 * Asks for all pages but the first at once, and writes them in the order of the list.
 *
 * @param read Waits for its turn, asks, and repeats what was throttled.
 */
export async function exportPages(
  { out }: Task,
  read: (page: number) => Promise<CustomersPage>,
): Promise<void> {
  const file = createNdjsonFile(out);
  const { customers, meta } = await read(1);
  await file.write(customers);
  const rest = Array.from({ length: meta.total_pages - 1 }, (_, index) => read(index + 2));
  for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
    await file.write((await next).customers);
  }
  await file.end();
}
