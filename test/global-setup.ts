import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshBundles } from '../infra/build/fresh-bundles.ts';

/**
 * From this size on glibc gives memory back at once, as it does before it has raised the size by itself. Otherwise a
 * worker keeps most of what the largest bodies in its suites took, between small things that live longer: 200 MB and
 * more. Below it each such thing would cost calls of the system, and pages that it has to clear.
 */
const RETURNED_BYTES = 131_072;

/** jest calls it once, before it starts its workers. */
export default async () => {
  process.env['MALLOC_MMAP_THRESHOLD_'] ??= `${RETURNED_BYTES}`;
  const folder = mkdtempSync(join(tmpdir(), 'suites-'));
  Object.assign(process.env, { TMPDIR: folder, TEMP: folder });
  // With what workers leave that are ended before they have removed it.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // Constructs take the code of their functions from the bundles.
  await freshBundles();
};
