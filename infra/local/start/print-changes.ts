import {
  type Column,
  cutLines,
  type TextRow,
  textRows,
  textTable,
} from '../../command-line/text-table.ts';
import { count } from '../../command-line/words.ts';
import type { ChangeSample } from '../../report/report-data.ts';
import type { ListChanges } from './changes-result.ts';
import type { ListResult } from './run-result.ts';

const NAME_WIDTH = 14;

interface ChangedList {
  readonly list: string;
  readonly changes: ListChanges;
}

/** Tables for people: how much has changed in each list, and samples of it; nothing where nobody asked for changes. */
export function printedChanges(exports: readonly ListResult[]): string {
  const lists = exports.flatMap(({ list, changes }) => (changes ? [{ list, changes }] : []));
  if (lists.length === 0) return '';
  const compared = lists.filter(({ changes }) => changes.counts !== null);
  const samples = lists.flatMap(({ list, changes }) =>
    changes.samples.map((sample) => ({ list, ...sample })),
  );
  const counts = compared.length === 0 ? '' : `${textTable(COUNTS, compared)}\n`;
  const few = samples.length === 0 ? '' : `${cutLines(textTable(sampleColumns(lists), samples))}\n`;
  return `\n${counts}${few}${textRows(lists.flatMap(rowsOf), NAME_WIDTH)}`;
}

const numberOf =
  (name: keyof NonNullable<ListChanges['counts']>) =>
  ({ changes }: ChangedList) =>
    count(changes.counts?.[name] ?? 0);

const COUNTS: readonly Column<ChangedList>[] = [
  ['Changes', ({ list }) => list],
  ['Before', numberOf('before')],
  ['Added', numberOf('added')],
  ['Changed', numberOf('changed')],
  ['Removed', numberOf('removed')],
  ['Now', numberOf('now')],
];

type Sample = ChangeSample & { readonly list: string };

function sampleColumns(lists: readonly ChangedList[]): readonly Column<Sample>[] {
  const list: Column<Sample> = ['List', (sample) => sample.list];
  return [
    ...(lists.length > 1 ? [list] : []),
    ['Such as', ({ change }) => change],
    ['Id', ({ id }) => id],
    ['Members', ({ members = [] }) => members.join(', ')],
  ];
}

function rowsOf(
  { list, changes }: ChangedList,
  _: number,
  { length }: readonly unknown[],
): readonly TextRow[] {
  const of = length > 1 ? `${list}: ` : '';
  const row = (name: string, value: string | null): TextRow =>
    value === null ? undefined : [name, of + value];
  const { since, reason, files } = changes;
  return [
    row('Compared', comparedWith(changes)),
    row('Not compared', since === null ? reason : null),
    row('Held back', changes.state === 'held' ? heldBack(changes) : null),
    row('All changes', files.length === 0 ? null : files.join('\n')),
  ];
}

function comparedWith({ since, matchesApi }: ListChanges): string | null {
  if (since === null) return null;
  const export_ = `with the export before, ${since}`;
  if (matchesApi === null) return export_;
  return matchesApi
    ? `${export_}: as in the API's own record of what happened`
    : `${export_}: NOT as in the API's own record of what happened`;
}

function heldBack({ removedPercent, maxRemovedPercent }: ListChanges): string {
  return `${removedPercent} % of the records are gone, more than ${maxRemovedPercent} %: nothing is told of it until a person has looked.`;
}
