import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '..');
const LAYERS = ['lib', 'functions', 'infra', 'test'] as const;

/** What `.tsconfig.build.json` leaves out. */
const NOT_PACKAGED = /^infra\/(build\/|local\/|simulator\/main\.ts|app\.ts|nag\.ts)/;

/** The rooms of lib; a room imports only those that stand before it. */
const ROOMS_OF_LIB = [
  'json',
  'schema',
  'key',
  'customers-api',
  'pace',
  'gate',
  'steps',
  'exports',
  'doctor',
  'changes',
  'writes',
] as const;

/** The folders of functions; a folder imports only those that stand before it. */
const FOLDERS_OF_FUNCTIONS = ['log', 'aws', 'services', 'messages', 'http', 'middleware'] as const;

interface Import {
  readonly from: string;
  /** A path from the root, or a package. */
  readonly to: string;
}

const imports = LAYERS.flatMap(sourcesIn).flatMap(importsOf);

test('reads the imports of all four layers', () => {
  for (const layer of LAYERS)
    expect(imports.some(({ from }) => from.startsWith(`${layer}/`))).toBe(true);
});

test('imports run test -> infra -> functions -> lib and never back', () => {
  const allowed: Readonly<Record<string, readonly string[]>> = {
    lib: ['lib'],
    functions: ['functions', 'lib'],
    infra: ['infra', 'functions', 'lib'],
    test: ['test', 'infra', 'functions', 'lib'],
  };
  const wrong = imports.filter(({ from, to }) => {
    const isOurs = LAYERS.some((layer) => layer === layerOf(to));
    return isOurs && !allowed[layerOf(from)]?.includes(layerOf(to));
  });

  expect(wrong).toEqual([]);
});

test('a room of lib imports only those before it, and writes nothing of exports and of their changes', () => {
  const place = (path: string) => ROOMS_OF_LIB.findIndex((room) => path.startsWith(`lib/${room}/`));
  const wrong = imports.filter(({ from, to }) => {
    const isBetween = from.startsWith('lib/writes/') && /^lib\/(exports|changes)\//.test(to);
    return isBetween || (place(from) >= 0 && place(to) > place(from));
  });

  expect(wrong).toEqual([]);
});

test('a folder of functions imports only those before it, and none a deployed function', () => {
  const place = (path: string) =>
    FOLDERS_OF_FUNCTIONS.findIndex((folder) => path.startsWith(`functions/${folder}/`));
  const wrong = imports.filter(({ from, to }) => {
    const isFunction = /^functions\/[^/]+\.ts$/.test(to);
    return place(from) >= 0 && (isFunction || place(to) > place(from));
  });

  expect(wrong).toEqual([]);
});

test('the foundation of the constructs imports none that stands on it', () => {
  const wrong = imports.filter(
    ({ from, to }) =>
      from.startsWith('infra/constructs/foundation/') &&
      /^infra\/constructs\/(?!foundation\/)/.test(to),
  );

  expect(wrong).toEqual([]);
});

test('no import leads back to where it began, types included', () => {
  expect(cycles()).toEqual([]);
});

test('nobody in the repository imports a list of exports', () => {
  const wrong = imports.filter(({ to }) =>
    /^((lib|functions|infra)\/index|infra\/testing)\.ts$/.test(to),
  );

  expect(wrong).toEqual([]);
});

test('what is deployed imports nothing of what runs on this machine, but its app makes fresh bundles', () => {
  // The way in for tests of users counts as the simulator itself.
  const isOfThisMachine = (path: string) =>
    /^infra\/((build|command|command-line|local|report|simulator)\/|testing\.ts$)/.test(path);
  const wrong = imports.filter(
    ({ from, to }) =>
      /^(lib|functions|infra)\//.test(from) && !isOfThisMachine(from) && isOfThisMachine(to),
  );

  expect(wrong).toEqual([{ from: 'infra/app.ts', to: 'infra/build/fresh-bundles.ts' }]);
});

test('the simulator imports nothing of the local stack', () => {
  const wrong = imports.filter(
    ({ from, to }) => from.startsWith('infra/simulator/') && to.startsWith('infra/local/'),
  );

  expect(wrong).toEqual([]);
});

test('all that the package imports comes with it, or is asked for as a peer', () => {
  const { dependencies, peerDependencies } = packageJson();
  const there = [...Object.keys(dependencies), ...Object.keys(peerDependencies)];
  const missing = imports.filter(({ from, to }) => {
    const [scope = '', name] = to.split('/');
    const isOurs = LAYERS.some((layer) => layer === scope) || to.startsWith('node:');
    const packaged = /^(lib|functions|infra)\//.test(from) && !NOT_PACKAGED.test(from);
    const needed = scope.startsWith('@') ? `${scope}/${name}` : scope;
    // Types of AWS Lambda come from a package of another name.
    return packaged && !isOurs && ![...there, 'aws-lambda'].includes(needed);
  });

  expect(missing).toEqual([]);
});

test('what the package holds imports nothing that it does not hold, types included', () => {
  const wrong = imports.filter(
    ({ from, to }) =>
      /^(lib|functions|infra)\//.test(from) && !NOT_PACKAGED.test(from) && NOT_PACKAGED.test(to),
  );

  expect(wrong).toEqual([]);
});

test('every test that runs a stack checks what its roles refused', () => {
  const starters = sourcesIn('test').filter((path) => /\bstartLocalStack\(/.test(read(path)));

  // The second takes statements away, to see something refused.
  expect(starters.sort()).toEqual([
    'test/infra/local/checked-stack.ts',
    'test/infra/local/iam/customers-stack.test.ts',
  ]);
});

test('lib knows no AWS SDK, no middy and no CDK', () => {
  const wrong = imports.filter(
    ({ from, to }) =>
      from.startsWith('lib/') && /^(@aws-sdk|@smithy|@middy|aws-cdk-lib|constructs)/.test(to),
  );

  expect(wrong).toEqual([]);
});

test('lib reads no environment variable', () => {
  const readers = sourcesIn('lib').filter((path) => /process\.env|node:process/.test(read(path)));

  expect(readers).toEqual([]);
});

test('only the HTTP file imports ky', () => {
  expect(filesImporting(({ to }) => to === 'ky')).toEqual(['lib/customers-api/http.ts']);
});

test('the key is revealed to redaction, to its fingerprint and to the HTTP file only', () => {
  const naming = ['lib', 'functions', 'infra']
    .flatMap(sourcesIn)
    .filter((path) => /\brevealKey\b/.test(read(path)));

  expect(naming.sort()).toEqual([
    'lib/customers-api/http.ts',
    'lib/key/api-key.ts',
    'lib/key/fingerprint.ts',
    'lib/key/redaction.ts',
  ]);
});

test('no schema leaves out members by their names', () => {
  const leavingOut = LAYERS.flatMap(sourcesIn)
    .filter((path) => !path.startsWith('test/'))
    .filter((path) => /\bv\.record\(/.test(read(path)));

  expect(leavingOut).toEqual([]);
});

test('no file has a name that says nothing', () => {
  const vague = LAYERS.flatMap(sourcesIn).filter((path) =>
    /(^|\/)(utils?|helpers?|common|types|misc)(\.|\/)/.test(path),
  );

  expect(vague).toEqual([]);
});

/** The import that closes each cycle that a walk through all files meets. */
function cycles(): readonly string[] {
  const next = new Map<string, readonly string[]>();
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const found: string[] = [];
  const walk = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) found.push([...way.slice(way.indexOf(file)), file].join(' -> '));
    if (way.includes(file) || done.has(file)) return;
    for (const to of next.get(file) ?? []) walk(to, [...way, file]);
    done.add(file);
  };
  for (const file of next.keys()) walk(file, []);
  return found;
}

function filesImporting(matches: (each: Import) => boolean): readonly string[] {
  return [...new Set(imports.filter(matches).map(({ from }) => from))]
    .filter((from) => !from.startsWith('test/'))
    .sort();
}

function layerOf(path: string): string {
  return path.split('/')[0] ?? '';
}

function sourcesIn(layer: string): readonly string[] {
  return readdirSync(join(root, layer), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(layer, path));
}

function importsOf(from: string): readonly Import[] {
  const specifiers = read(from).matchAll(
    /^(?:import|export)\b[^;]*?\bfrom '([^']+)'|\bimport\('([^']+)'\)|^import '([^']+)'/gm,
  );
  return [...specifiers].map(([, named, dynamic, bare]) => {
    const to = named ?? dynamic ?? bare ?? '';
    return { from, to: to.startsWith('.') ? normalize(join(dirname(from), to)) : to };
  });
}

function packageJson(): Record<'dependencies' | 'peerDependencies', Record<string, string>> {
  return JSON.parse(read('package.json'));
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
