import { constants, readFileSync, statSync, utimesSync } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestOf } from '../../build/digest.ts';
import { CACHE_DIRECTORY, ROOT } from '../../build/root.ts';
import { DiskError, writingTo } from '../../command-line/disk-error.ts';

/** What the stack and the code of its functions are made of. */
const SOURCES = [
  ...['lib', 'functions', 'infra', 'tsconfig.json', 'cdk.json'],
  ...['package.json', 'package-lock.json', 'node_modules/.package-lock.json'],
];

const KEPT = 4;
/** An assembly that was used so recently may still be read by another start. */
const IN_USE_MS = 10 * 60 * 1000;
/** File in an assembly that holds the digest of all others. */
const SEAL = 'digest';

export interface AssemblyCache {
  /** Where the assemblies are, each in a folder of its own. */
  readonly directory: string;
  /** Files and folders: when anything in them changes, a new assembly is made. */
  readonly sources: readonly string[];
}

/** For the stack of this project. */
export const ASSEMBLY_CACHE: AssemblyCache = {
  directory: join(CACHE_DIRECTORY, 'assemblies'),
  sources: SOURCES.map((name) => join(ROOT, name)),
};

/**
 * Gives a cloud assembly that was made before with the same settings, sources and Node, or makes one.
 *
 * @param settings Everything that reaches the synthesis; settings are the same when their JSON is.
 * @param make Puts a new assembly into an empty folder.
 * @returns Its folder, to be read within minutes: a later start may remove it.
 */
export async function keptAssembly(
  { directory, sources }: AssemblyCache,
  settings: unknown,
  make: (directory: string) => Promise<void>,
): Promise<string> {
  if (!(await canKeepIn(directory))) return unkeptAssembly(make);
  const name = nameOf(sources, settings);
  for (const entry of await readdir(directory)) {
    if (!entry.startsWith(name)) continue;
    const kept = join(directory, entry);
    if (isWhole(kept)) return kept;
    await removeIfPossible(kept);
  }
  await removeOld(directory);
  try {
    return await writingTo(directory, () =>
      newAssembly(directory, name, () => nameOf(sources, settings), make),
    );
  } catch (error) {
    if (error instanceof DiskError) return unkeptAssembly(make);
    throw error;
  }
}

/** No start ever sees an unfinished assembly, and of two at the same time each makes its own. */
async function newAssembly(
  directory: string,
  name: string,
  nameNow: () => string,
  make: (directory: string) => Promise<void>,
): Promise<string> {
  const unfinished = await mkdtemp(join(directory, 'unfinished-'));
  try {
    await make(unfinished);
    await writeFile(join(unfinished, SEAL), contentOf(unfinished));
    // A source that was changed meanwhile may be in it or not: then no later start may take it for its own.
    const finished = join(
      directory,
      `${nameNow() === name ? name : 'once'}${unfinished.slice(-7)}`,
    );
    await rename(unfinished, finished);
    return finished;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function canKeepIn(directory: string): Promise<boolean> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await access(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** For an installation that cannot be written, or whose disk is full: the assembly is in the folder of the run, and goes with it. */
async function unkeptAssembly(make: (directory: string) => Promise<void>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'customers-stack-'));
  await make(directory);
  return directory;
}

function isWhole(assembly: string): boolean {
  try {
    // From now on it counts as in use.
    utimesSync(assembly, new Date(), new Date());
    return readFileSync(join(assembly, SEAL), 'utf8') === contentOf(assembly);
  } catch {
    return false;
  }
}

function nameOf(sources: readonly string[], settings: unknown): string {
  return digestOf(sources, { more: JSON.stringify([process.version, settings]) });
}

/** Digest of an assembly, but for its seal. */
function contentOf(assembly: string): string {
  return digestOf([assembly], { isLeftOut: (name) => name === SEAL });
}

/** Another user's assembly stays: it is not used, and must not end the start. */
async function removeIfPossible(assembly: string): Promise<void> {
  await rm(assembly, { recursive: true, force: true }).catch(() => undefined);
}

/** Removes all but the newest, as far as they have not been used for a while. */
async function removeOld(directory: string): Promise<void> {
  const entries = (await readdir(directory)).map((name) => {
    const path = join(directory, name);
    return { path, usedMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
  });
  const old = entries.sort((a, b) => b.usedMs - a.usedMs).slice(KEPT - 1);
  for (const { path, usedMs } of old) {
    if (usedMs < Date.now() - IN_USE_MS) await removeIfPossible(path);
  }
}
