import { bundleFunction } from '../../infra/build/bundle-function.ts';

const BYTES_PER_KIB = 1024;

/** A deployed function, bundled as it is deployed. */
export interface BundleContent {
  readonly name: string;
  readonly code: Uint8Array;
  readonly kib: number;
  /** The packages in it, such as `@aws-sdk/client-sqs`; sorted. */
  readonly packages: readonly string[];
  /** Our own files in it; sorted. */
  readonly sources: readonly string[];
}

export async function bundleContent(name: string): Promise<BundleContent> {
  const { code, files } = await bundleFunction(name);
  const kib = code.length / BYTES_PER_KIB;
  return { name, code, kib, packages: packagesIn(files), sources: files.filter(isOurs) };
}

function packagesIn(files: readonly string[]): readonly string[] {
  const names = files.flatMap(
    (path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  return [...new Set(names)].sort();
}

function isOurs(path: string): boolean {
  return /^(lib|functions)\//.test(path);
}
