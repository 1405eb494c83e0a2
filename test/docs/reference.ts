import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPackages } from '../bench/install-packages.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Each way into the package, and its page in docs/reference. */
export const REFERENCE_PAGES = [
  { page: 'client.md', entry: 'lib/index.ts', title: '`customers-functions`' },
  { page: 'lambda.md', entry: 'functions/index.ts', title: '`customers-functions/lambda`' },
  { page: 'infra.md', entry: 'infra/index.ts', title: '`customers-functions/infra`' },
  { page: 'testing.md', entry: 'infra/testing.ts', title: '`customers-functions/testing`' },
] as const;

type ReferencePage = (typeof REFERENCE_PAGES)[number]['page'];

const MADE_BY = '<!-- Made from the docstrings by `npm run reference`. Change them there. -->';
const OPTIONS = [
  ...['--skipErrorChecking', '--disableSources', '--excludeExternals', '--excludePrivate'],
  ...['--readme', 'none', '--logLevel', 'Error', '--outputFileStrategy', 'modules'],
  ...['--hidePageHeader', '--hideBreadcrumbs', '--parametersFormat', 'table'],
  ...['--interfacePropertiesFormat', 'table', '--typeDeclarationFormat', 'table'],
];

/**
 * The pages of the reference, made from the docstrings by TypeDoc, which it installs.
 *
 * @throws Error when TypeDoc cannot be installed, or cannot read the sources.
 */
export function referencePages(): ReadonlyMap<ReferencePage, string> {
  const installed = installPackages('test/docs/reference-tools');
  if (installed.kind === 'not-installed') throw new Error(installed.why);
  const folder = mkdtempSync(join(tmpdir(), 'reference-'));
  try {
    return new Map(REFERENCE_PAGES.map((each) => [each.page, pageOf(each, installed, folder)]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** One run for each, so that no page refers to another one. */
function pageOf(
  { entry, title }: (typeof REFERENCE_PAGES)[number],
  { nodeModules }: { readonly nodeModules: string },
  folder: string,
): string {
  const config = join(folder, 'tsconfig.json');
  const typeRoots = [join(ROOT, 'node_modules/@types')];
  const compilerOptions = { rootDir: ROOT, typeRoots };
  const settings = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: [] };
  writeFileSync(config, JSON.stringify({ ...settings, files: [join(ROOT, entry)] }));
  const plugin = join(nodeModules, 'typedoc-plugin-markdown/dist/index.js');
  const out = join(folder, 'out');
  const of = ['--tsconfig', config, '--plugin', plugin, '--out', out, ...OPTIONS];
  const typedoc = join(nodeModules, 'typedoc/bin/typedoc');
  execFileSync(process.execPath, [typedoc, ...of, join(ROOT, entry)], { cwd: ROOT });
  const [, ...lines] = readFileSync(join(out, 'README.md'), 'utf8').split('\n');
  return [`# ${title}`, '', MADE_BY, ...lines].join('\n');
}
