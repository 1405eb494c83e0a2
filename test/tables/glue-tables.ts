import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import type { Template } from '../../infra/local/template/template.ts';

const ColumnsSchema = v.array(v.object({ Name: v.string(), Type: v.literal('string') }));
const SerdeSchema = v.object({
  SerializationLibrary: v.string(),
  Parameters: v.optional(v.record(v.string(), v.string()), {}),
});
const TableSchema = v.object({
  TableType: v.literal('EXTERNAL_TABLE'),
  Name: v.string(),
  PartitionKeys: ColumnsSchema,
  Parameters: v.record(v.string(), v.unknown()),
  StorageDescriptor: v.object({
    Columns: ColumnsSchema,
    InputFormat: v.string(),
    SerdeInfo: SerdeSchema,
  }),
});
const ViewSchema = v.object({
  TableType: v.literal('VIRTUAL_VIEW'),
  Name: v.string(),
  Parameters: v.object({ presto_view: v.literal('true') }),
  PartitionKeys: v.strictTuple([]),
  StorageDescriptor: v.object({ Columns: ColumnsSchema }),
  ViewOriginalText: v.pipe(v.string(), v.regex(/^\/\* Presto View: \S+ \*\/$/)),
});
const InputSchema = v.variant('TableType', [TableSchema, ViewSchema]);
const GlueTableSchema = v.object({ DatabaseName: v.string(), TableInput: InputSchema });
const DefinitionSchema = v.object({
  originalSql: v.string(),
  schema: v.string(),
  columns: v.array(v.object({ name: v.string(), type: v.literal('varchar') })),
});

/** An object of the bucket, at a path of this machine. */
export interface StoredObject {
  readonly key: string;
  readonly path: string;
}

export interface Bucket {
  readonly name: string;
  readonly objects: readonly StoredObject[];
}

/**
 * Statements that make the tables and views of a template in DuckDB, over the objects of a bucket: as Athena would
 * find the partitions, follow the pointers in them and split lines into columns. Whatever the template says otherwise
 * than this can read is an error, so nothing of the definition is guessed here.
 */
export function statementsFor({ Resources }: Template, bucket: Bucket): readonly string[] {
  const inputs = Object.values(Resources)
    .filter(({ Type }) => Type === 'AWS::Glue::Table')
    .map(({ Properties }) => v.parse(GlueTableSchema, withNames(Properties, bucket.name)));
  const [{ DatabaseName = '' } = {}] = inputs;
  return [
    `CREATE SCHEMA "${DatabaseName}"`,
    `USE "${DatabaseName}"`,
    // Athena's of that name gives no objects and arrays.
    `CREATE MACRO json_extract_scalar(j, path) AS CASE
       WHEN json_type(j, path) IN ('OBJECT', 'ARRAY') THEN NULL ELSE json_extract_string(j, path) END`,
    'CREATE MACRO json_format(j) AS CAST(j AS VARCHAR)',
    ...inputs.flatMap(({ TableInput }) =>
      TableInput.TableType === 'EXTERNAL_TABLE' ? tableStatement(TableInput, bucket) : [],
    ),
    ...inputs.flatMap(({ TableInput }) =>
      TableInput.TableType === 'VIRTUAL_VIEW' ? viewStatement(TableInput, DatabaseName) : [],
    ),
  ];
}

/** What the views of a template are defined as. */
export function viewsIn({
  Resources,
}: Template): readonly v.InferOutput<typeof DefinitionSchema>[] {
  return Object.values(Resources).flatMap(({ Type, Properties }) => {
    if (Type !== 'AWS::Glue::Table') return [];
    const parsed = v.safeParse(v.object({ TableInput: ViewSchema }), Properties);
    return parsed.success ? definitionOf(parsed.output.TableInput) : [];
  });
}

/** The properties with the name of the bucket in place of the reference to it. */
function withNames(value: unknown, bucketName: string): unknown {
  return JSON.parse(JSON.stringify(value), (_, member: unknown) => {
    const { Ref, 'Fn::Join': join, ...others } = Object(member);
    if (Object.keys(others).length > 0) return member;
    if (typeof Ref === 'string' && Ref.startsWith('CustomersStoreBucket')) return bucketName;
    return join === undefined ? member : join[1].join(join[0]);
  });
}

function tableStatement(table: v.InferOutput<typeof TableSchema>, bucket: Bucket): string {
  const { InputFormat, SerdeInfo, Columns } = table.StorageDescriptor;
  expectToBe(InputFormat, 'org.apache.hadoop.hive.ql.io.SymlinkTextInputFormat');
  const names = Columns.map(({ Name }) => Name);
  const columns = names.map((name) => `${text(name)}: 'VARCHAR'`).join(', ');
  const reading = `delim = ${text(separatorOf(SerdeInfo))}, quote = '', escape = '', nullstr = '\\N', columns = {${columns}}`;
  const partitions = partitionsIn(table, bucket).flatMap(({ values, pointers }) => {
    const parts = pointers.flatMap(({ path }) => linesOf(path).map((uri) => pathOf(uri, bucket)));
    const projected = [...values].map(([name, value]) => `${text(value)} AS "${name}"`);
    const uri = `replace(filename, ${text(parts[0]?.root ?? '')}, ${text(`s3://${bucket.name}/`)})`;
    return parts.length === 0
      ? []
      : `SELECT ${[...names, ...projected, `${uri} AS "$path"`].join(', ')} FROM read_csv(
           [${parts.map(({ path }) => text(path)).join(', ')}], auto_detect = false, header = false,
           compression = 'auto', max_line_size = 100_000_000, filename = true, ${reading})`;
  });
  const none = [...names, ...table.PartitionKeys.map(({ Name }) => Name), '$path']
    .map((name) => `NULL::VARCHAR AS "${name}"`)
    .join(', ');
  const all = [`SELECT ${none} WHERE false`, ...partitions];
  return `CREATE VIEW ${table.Name} AS ${all.join(' UNION ALL ')}`;
}

/** The rule of LazySimpleSerDe: a number is the code of the character, and nothing else is the character itself. */
function separatorOf({ SerializationLibrary, Parameters }: v.InferOutput<typeof SerdeSchema>) {
  expectToBe(SerializationLibrary, 'org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe');
  const { 'serialization.format': format = '1', 'field.delim': delimiter = format } = Parameters;
  const others = Object.keys(Parameters).filter(
    (name) => !/^(serialization\.format|field\.delim)$/.test(name),
  );
  expectToBe(others.join(), '');
  return /^\d+$/.test(delimiter) ? String.fromCharCode(Number(delimiter)) : delimiter;
}

interface Partition {
  readonly values: ReadonlyMap<string, string>;
  readonly pointers: readonly StoredObject[];
}

/** All for which there is an object: for any other values a query finds nothing, and Athena says nothing. */
function partitionsIn(
  { PartitionKeys, Parameters }: v.InferOutput<typeof TableSchema>,
  { name, objects }: Bucket,
): readonly Partition[] {
  const keys = PartitionKeys.map(({ Name }) => Name);
  expectToBe(Parameters['projection.enabled'], 'true');
  for (const key of keys) expectToBe(Parameters[`projection.${key}.type`], 'injected');
  const template = v.parse(v.string(), Parameters['storage.location.template']);
  const [before, location = ''] = template.split(`s3://${name}/`);
  expectToBe(before, '');
  const folder = new RegExp(`^${location.replaceAll(/\$\{(\w+)\}/g, '(?<$1>[^/]+)')}[^/]+$`);
  const found = new Map<string, Partition>();
  for (const object of objects) {
    const values = folder.exec(object.key)?.groups;
    if (values === undefined) continue;
    expectToBe(Object.keys(values).join(), keys.join());
    const id = JSON.stringify(values);
    const pointers = [...(found.get(id)?.pointers ?? []), object];
    found.set(id, { values: new Map(Object.entries(values)), pointers });
  }
  return [...found.values()];
}

/** Every line is a path, an empty one too, as in Hive's input format. */
function linesOf(path: string): readonly string[] {
  const content = readFileSync(path, 'utf8');
  return content === '' ? [] : content.replace(/\n$/, '').split('\n');
}

function pathOf(uri: string, { name, objects }: Bucket): { path: string; root: string } {
  const object = objects.find(({ key }) => uri === `s3://${name}/${key}`);
  if (object === undefined) throw new Error(`A pointer names ${uri}, and there is no such object.`);
  return { path: object.path, root: object.path.slice(0, -object.key.length) };
}

function viewStatement(view: v.InferOutput<typeof ViewSchema>, database: string): string {
  const { Name, StorageDescriptor } = view;
  const { originalSql, schema, columns } = definitionOf(view);
  expectToBe(schema, database);
  const names = columns.map(({ name }) => name).join(', ');
  expectToBe(StorageDescriptor.Columns.map((column) => column.Name).join(', '), names);
  return `CREATE VIEW ${Name} (${names}) AS ${originalSql}`;
}

function definitionOf({ ViewOriginalText }: v.InferOutput<typeof ViewSchema>) {
  const encoded = ViewOriginalText.split(' ').at(-2) ?? '';
  return v.parse(DefinitionSchema, JSON.parse(Buffer.from(encoded, 'base64').toString()));
}

function expectToBe(got: unknown, expected: string): void {
  if (got !== expected) throw new Error(`expected ${expected || 'nothing'}, got ${got}`);
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
