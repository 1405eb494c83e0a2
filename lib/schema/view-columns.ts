import type { ShapeReport } from './shape-report.ts';

/** A column of a view: a place in the records that every record has at most once, so outside of arrays. */
export interface ViewColumn {
  /** Small letters, digits and underscores, a letter first; no two columns share one. */
  readonly name: string;
  /** Names of members from the record on. */
  readonly path: readonly string[];
  readonly type: ColumnType;
}

/**
 * `text` also for numbers with more digits than the others keep, and for several types at one place. `json`: objects
 * and arrays, as JSON text; `mixed`: these and other values.
 */
export type ColumnType = 'text' | 'bigint' | 'double' | 'boolean' | 'json' | 'mixed';

/**
 * The columns for all places down to a depth: objects further down are one column.
 *
 * @param depth Names in a path at most, 1 or more.
 * @param taken Names of other columns of the view.
 */
export function viewColumns(
  record: ShapeReport,
  depth: number,
  taken: readonly string[],
): readonly ViewColumn[] {
  const names = new Set(taken);
  return placesIn(record, [], depth).map(({ path, type }) => {
    const name = freeName(path, names);
    names.add(name);
    return { name, path, type };
  });
}

type Place = Omit<ViewColumn, 'name'>;

function placesIn(report: ShapeReport, path: readonly string[], depth: number): readonly Place[] {
  const { members = [] } = report;
  return members
    .filter(({ name }) => name.isWellFormed()) // SQL is UTF-8, which has no lone surrogates
    .flatMap((member) => {
      const place = [...path, member.name];
      const { object, null: none, ...others } = member.types;
      const isOpened = object !== undefined && place.length < depth && isNamed(member);
      const inside = isOpened ? placesIn(member, place, depth) : [];
      if (isOpened && Object.keys(others).length === 0) return inside;
      return [{ path: place, type: typeOf(member) }, ...inside];
    });
}

/** Whether each member of an object has a place of its own in the report. */
function isNamed({ members = [], unnamed }: ShapeReport): boolean {
  return members.length > 0 && unnamed === undefined;
}

function typeOf({ types }: ShapeReport): ColumnType {
  const { null: none, ...others } = types;
  const seen = Object.keys(others).sort().join(' ');
  if (seen === 'boolean') return 'boolean';
  if (seen === 'integer') return 'bigint';
  if (seen === 'decimal' || seen === 'decimal integer') return 'double';
  if (['array', 'object', 'array object'].includes(seen)) return 'json';
  return others.object || others.array ? 'mixed' : 'text';
}

/** Names are cut at this: those of Glue end at 255. */
const MAX_NAME_LENGTH = 120;

function freeName(path: readonly string[], taken: ReadonlySet<string>): string {
  const plain = path
    .join('_')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '_')
    .slice(0, MAX_NAME_LENGTH);
  const name = /^[a-z]/.test(plain) ? plain : `c_${plain.replace(/^_+/, '')}`;
  if (!taken.has(name)) return name;
  for (let number = 2; ; number++) {
    const numbered = `${name}_${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}
