import { SettingError } from '../errors.ts';
import type { RecordsReport } from './records-describer.ts';
import { remarksOnAll } from './shape-remarks.ts';
import { type ColumnType, type ViewColumn, viewColumns } from './view-columns.ts';

export interface AthenaView {
  readonly name: string;
  /** A table or view with the columns `connection` and `record`. */
  readonly from: string;
  readonly connection: string;
  /** Names in a path at most: objects further down are one column. */
  readonly depth: number;
}

/** Athena's limit of a query string ("Service Quotas"). */
const MAX_QUERY_BYTES = 262_144;

/**
 * A view with a column for each place, as a query for Athena (engine version 3, which is Trino). The record itself
 * is a column too. A column whose type is not that of the report any more fails the queries that read it, and the
 * others go on.
 *
 * @throws SettingError when Athena would not take a query that is so long.
 */
export function asAthenaView(report: RecordsReport, view: AthenaView): string {
  const columns = viewColumns(report.record, view.depth, ['connection', 'record']);
  const selected = columns.map(
    (column) => `,\n  ${columnValue(column)} AS ${identifier(column.name)}`,
  );
  const remarks = remarksOnAll(report).map((line) => `-- ${line}\n`);
  const query = `${remarks.join('')}CREATE OR REPLACE VIEW ${identifier(view.name)} AS
SELECT
  connection,
  record${selected.join('')}
FROM ${identifier(view.from)}
WHERE connection = ${literal(view.connection)};
`;
  if (Buffer.byteLength(query) <= MAX_QUERY_BYTES) return query;
  throw new SettingError(
    'depth',
    `a view of ${columns.length} columns is longer than the ${MAX_QUERY_BYTES} bytes that Athena takes. Expected less than ${view.depth}`,
  );
}

function columnValue({ path, type }: ViewColumn): string {
  const place = literal(`$${path.map((name) => `["${escaped(name)}"]`).join('')}`);
  // Numbers come as the text that they had.
  const scalar = `json_extract_scalar(record, ${place})`;
  // An object and an array are never printed as `null`, and null itself is.
  const json = `nullif(json_format(json_extract(record, ${place})), 'null')`;
  const values: Readonly<Record<ColumnType, string>> = {
    text: scalar,
    bigint: `CAST(${scalar} AS bigint)`,
    double: `CAST(${scalar} AS double)`,
    boolean: `CAST(${scalar} AS boolean)`,
    json,
    mixed: `coalesce(${scalar}, ${json})`,
  };
  return values[type];
}

/** The two escapes of Trino's paths (its JsonPathTokenizer). */
function escaped(name: string): string {
  return name.replace(/["\\]/g, '\\$&');
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Quotes keep words of SQL from being read as such. */
function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
