import * as v from 'valibot';
import { parseJson } from '../../../lib/json/json-value.ts';
import { type TextRow, textRows } from '../../command-line/text-table.ts';
import { WAIT_WORDS } from '../../command-line/wait-words.ts';
import { bytesText, count } from '../../command-line/words.ts';
import { CommandError } from '../command-error.ts';
import type { IntegrationApi } from './integration-api.ts';

const Begun = v.looseObject({
  list: v.string(),
  exportId: v.string(),
  status: v.picklist(['running', 'completed', 'failed', 'halted', 'cancelled']),
  startedAt: v.string(),
  updatedAt: v.string(),
  progress: v.object({
    pages: v.number(),
    customers: v.number(),
    totalCustomers: v.nullable(v.number()),
    percent: v.nullable(v.number()),
    expectedEndAt: v.nullable(v.string()),
  }),
  notBefore: v.nullable(v.string()),
  // Absent in answers of earlier versions.
  waitsFor: v.optional(v.nullable(v.string())),
  waits: v.object({ throttles: v.number(), seconds: v.number() }),
  parts: v.object({ count: v.number(), storedBytes: v.number() }),
  completeness: v.nullable(v.object({ verdict: v.string(), reasons: v.array(v.string()) })),
  changes: v.nullable(
    v.looseObject({
      status: v.string(),
      counts: v.nullish(
        v.looseObject({ added: v.number(), changed: v.number(), removed: v.number() }),
      ),
    }),
  ),
  reason: v.nullable(v.looseObject({ code: v.string(), message: v.string() })),
});

const Queued = v.looseObject({
  list: v.string(),
  exportId: v.string(),
  status: v.literal('queued'),
  place: v.number(),
  queuedAt: v.string(),
});

const ShownSchema = v.union([Queued, Begun]);
const ListedSchema = v.object({
  queued: v.array(Queued),
  exports: v.array(Begun),
  next: v.nullable(v.string()),
});

export type ShownExport = v.InferOutput<typeof ShownSchema>;

/** One whose turn has come. */
export type BegunExport = v.InferOutput<typeof Begun>;

export interface OpenExport {
  readonly api: IntegrationApi;
  readonly connection: string;
  readonly exportId: string;
}

export async function readExport({ api, connection, exportId }: OpenExport): Promise<ShownExport> {
  return readAs(ShownSchema, await api.ask(connection, ['exports', exportId]));
}

/** Exports of a connection, newest first, after those that wait for their turn. */
export async function* exportsOf(
  api: IntegrationApi,
  connection: string,
  { list, perPage, most = Number.POSITIVE_INFINITY }: WantedExports,
): AsyncGenerator<ShownExport, void> {
  let found = 0;
  let after: string | undefined;
  do {
    const query = { limit: String(Math.min(perPage, most - found)), list, after };
    const listed = readAs(ListedSchema, await api.ask(connection, ['exports'], { query }));
    // Each page tells of those that wait.
    const exports = after === undefined ? [...listed.queued, ...listed.exports] : listed.exports;
    yield* exports;
    found += exports.length;
    after = listed.next ?? undefined;
  } while (after !== undefined && found < most);
}

interface WantedExports {
  /** @default - of all lists */
  readonly list?: string | undefined;
  readonly perPage: number;
  /** No more pages are asked for when there are so many. @default - all */
  readonly most?: number;
}

/**
 * @param who Answered.
 * @throws CommandError when the answer is of another version.
 */
export function readAs<Schema extends v.GenericSchema>(
  schema: Schema,
  text: string,
  who = 'The HTTP API',
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, parseJson(text));
  if (parsed.success) return parsed.output;
  const place = v.getDotPath(parsed.issues[0]) ?? 'the answer';
  throw new CommandError(
    `${who} answered something else than expected (${place}). Use this command in the version that is deployed.`,
  );
}

const NAME_WIDTH = 10;

/** An export for a person. @param width Characters of a line. */
export function exportText(shown: ShownExport, width: number): string {
  const rows = shown.status === 'queued' ? queuedRows(shown) : begunRows(shown);
  return textRows(rows, NAME_WIDTH, width);
}

/** Why it waits, as the end of a sentence. */
export function waitReasonOf({ waitsFor }: Pick<v.InferOutput<typeof Begun>, 'waitsFor'>): string {
  // A later version may know more of them.
  const known = Object.entries(WAIT_WORDS).find(([cause]) => cause === (waitsFor ?? 'throttled'));
  return known?.[1].why ?? `for ${waitsFor}`;
}

function queuedRows({ exportId, list, place, queuedAt }: v.InferOutput<typeof Queued>): TextRow[] {
  return [
    ['Export', `queued, list ${list}, id ${exportId}`],
    ['Place', `${place} in the line of the connection, since ${queuedAt}`],
  ];
}

function begunRows(shown: v.InferOutput<typeof Begun>): TextRow[] {
  const { exportId, list, status, progress, waits, parts, completeness, reason } = shown;
  const { customers, totalCustomers, pages, expectedEndAt } = progress;
  const of = totalCustomers === null ? '' : ` of ${count(totalCustomers)}`;
  return [
    ['Export', `${status}, list ${list}, id ${exportId}`],
    reason === null ? undefined : ['Why', reason.message],
    ['Records', `${count(customers)}${of}`],
    [
      'Pages',
      `${count(pages)}, ${count(waits.throttles)} throttled, ${count(waits.seconds)} s of waits`,
    ],
    ['Parts', `${count(parts.count)}, ${bytesText(parts.storedBytes)} stored`],
    ['Started', `${shown.startedAt}, last change ${shown.updatedAt}`],
    shown.notBefore === null
      ? undefined
      : ['Waiting', `until ${shown.notBefore}, ${waitReasonOf(shown)}`],
    expectedEndAt === null ? undefined : ['Ends', `about ${expectedEndAt}`],
    completeness === null
      ? undefined
      : ['Verdict', [completeness.verdict, ...completeness.reasons].join('\n')],
    shown.changes === null ? undefined : ['Changes', changesText(shown.changes)],
  ];
}

function changesText({ status, counts }: NonNullable<BegunExport['changes']>): string {
  if (counts == null) return status;
  const { added, changed, removed } = counts;
  return `${count(added)} added, ${count(changed)} changed, ${count(removed)} removed (${status})`;
}
