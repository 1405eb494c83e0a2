import { readFile } from 'node:fs/promises';
import { SettingError } from '../../lib/errors.ts';
import { type ListSchema, parseListSchema } from '../../lib/exports/list-schema.ts';
import { EXPORTS_TABLE, isLatestView, latestView } from '../../lib/exports/table-pointers.ts';
import { asAthenaView } from '../../lib/schema/as-athena-view.ts';
import { asTypeScript } from '../../lib/schema/as-typescript.ts';
import { asValibot } from '../../lib/schema/as-valibot.ts';
import { fileProblem, shownPath } from '../command-line/file-problem.ts';
import { gotOf, number, type OptionValues, oneOf, option } from '../command-line/option-table.ts';
import { commandOf } from './command.ts';
import { writingWhole } from './download/file-or-stdout.ts';
import { allOfStdin } from './stdin.ts';

const FORMS = ['typescript', 'valibot', 'athena-view'] as const;

const DEFAULT_FORM = 'typescript';
/** Members of an object that is a member of a record: an address with its place. */
const DEFAULT_DEPTH = 3;

const SCHEMA_OPTIONS = {
  as: {
    ...option('FORM', 'what is printed', oneOf(FORMS), DEFAULT_FORM),
    choices: FORMS,
  },
  name: option('NAME', 'name of the type or view', nameOf, 'made of connection and list'),
  depth: option(
    'N',
    'of a view: names in the path of a column at most; objects further down are one column',
    number([1, 20]),
    DEFAULT_DEPTH,
  ),
} as const;

/** Prints the report of an export as source, from a file or from standard input. */
export const SCHEMA = commandOf({
  name: 'schema',
  what: 'Prints the report of an export as source for other programs: a TypeScript type, a valibot schema or an Athena view.',
  operands: [
    {
      name: 'FILE',
      what: 'the file of a report, such as exports/connection=demo/list=customers/export=…/schema.json, or - for standard input',
    },
  ],
  options: SCHEMA_OPTIONS,
  run: async ({ options, operands: [file = ''] }, call) => {
    const report = parseListSchema(file === '-' ? await allOfStdin(call) : await contentOf(file));
    if (report === undefined) {
      const [where, got] =
        file === '-' ? ['Standard input', ''] : ['FILE', `, got ${shownPath(file)}`];
      throw new SettingError(where, `expected a report as an export writes it, schema.json${got}`);
    }
    const source = sourceOf(report, options);
    const { output, stdout } = call;
    if (output.isJson) output.result({ source }, () => source);
    // A compiler reads it: a file gets every character of a name.
    else await writingWhole(undefined, stdout, async ({ write }) => void (await write(source)));
    return 'done';
  },
});

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw fileProblem('FILE', 'read', file, error);
  }
}

/** @throws SettingError for an option. */
function sourceOf(report: ListSchema, options: OptionValues<typeof SCHEMA_OPTIONS>): string {
  const { as = DEFAULT_FORM, depth = DEFAULT_DEPTH, name } = options;
  if (as !== 'athena-view' && options.depth !== undefined) {
    throw new SettingError('--depth', 'has a meaning with --as athena-view only');
  }
  if (as === 'typescript') return asTypeScript(report, name ?? typeName(report));
  if (as === 'valibot') return asValibot(report, name ?? typeName(report));
  return view(report, name ?? viewName(report), depth);
}

function view(schema: ListSchema, name: string, depth: number): string {
  const { connection, list } = schema;
  const from = latestView(list);
  if (name.toLowerCase() === EXPORTS_TABLE || isLatestView(name)) {
    throw new SettingError('--name', `${name} is a table or view of the stack: choose another one`);
  }
  try {
    return asAthenaView(schema, { name, from, connection, depth });
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    throw error.at('--depth');
  }
}

/** Names of connections and lists have small letters, digits and hyphens. */
function typeName({ connection, list }: ListSchema): string {
  const name = `${connection}-${list}`.replace(/(?:^|-)(\w?)/g, (_, letter: string) =>
    letter.toUpperCase(),
  );
  return /^\d/.test(name) ? `_${name}` : name;
}

/** Two underscores, so that it is no view of the stack whatever the connection is called, see `isLatestView`. */
function viewName({ connection, list }: ListSchema): string {
  const name = `${connection}__${list}`.replaceAll('-', '_');
  return /^\d/.test(name) ? `_${name}` : name;
}

function nameOf(given: string, option: string): string {
  if (/^[A-Za-z_]\w{0,127}$/.test(given)) return given;
  throw new SettingError(
    option,
    `expected 1 to 128 letters, digits and underscores, no digit first, got ${gotOf(given)}`,
  );
}
