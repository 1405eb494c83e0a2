import { freshBundles } from '../infra/build/fresh-bundles.ts';

/**
 * From this size on glibc gives memory back at once. Otherwise a worker keeps most of what the largest bodies in its
 * suites took, between small things that live longer: 200 MB and more.
 */
const RETURNED_BYTES = 16_384;

/** jest calls it once, before it starts its workers. */
export default async () => {
  process.env['MALLOC_MMAP_THRESHOLD_'] ??= `${RETURNED_BYTES}`;
  // Constructs take the code of their functions from the bundles.
  await freshBundles();
};
