import * as v from 'valibot';
import type { Misfit } from '../customers-api/misfit.ts';
import { idOf, unescapedId } from '../customers-api/record-places.ts';
import type { StandardSchemaV1 } from '../customers-api/standard-schema.ts';
import { checkedRecord, type TypedRecord, uncheckedRecord } from '../customers-api/typed-record.ts';
import { SettingError } from '../errors.ts';
import { listFolder } from '../exports/store-objects.ts';
import { ConnectionNameSchema, ExportIdSchema, ListNameSchema } from '../names.ts';
import { count } from '../stored.ts';
import { recordHash } from '../stored-text.ts';

const text = v.pipe(v.string(), v.nonEmpty());

const facts = {
  id: text,
  atMs: count,
  integration: text,
  connection: ConnectionNameSchema,
  list: ListNameSchema,
  exportId: ExportIdSchema,
  exportStartedAtMs: count,
  sinceExportId: ExportIdSchema,
  idKey: text,
  recordId: v.string(),
  recordIdJson: text,
  record: v.exactOptional(text),
  recordAt: v.object({ bucket: text, key: text, line: v.pipe(count, v.minValue(1)) }),
};

/** As much of the detail as `lib/events/customer-added.schema.json` and its like say, of any list. */
const DetailSchema = v.variant('kind', [
  v.object({ ...facts, kind: v.literal('added'), after: recordHash }),
  v.object({
    ...facts,
    kind: v.literal('changed'),
    members: v.array(v.string()),
    before: recordHash,
    after: recordHash,
  }),
  v.object({ ...facts, kind: v.literal('removed'), before: recordHash }),
]);

/** Nobody's event makes a consumer, who may read all parts, read a record of another connection or list. */
export const ChangeDetailSchema = v.pipe(
  DetailSchema,
  v.check(
    ({ connection, list, recordAt }) => recordAt.key.startsWith(listFolder(connection, list)),
    'recordAt.key: is no part of this connection and list',
  ),
);

export type ChangeDetail = v.InferOutput<typeof ChangeDetailSchema>;

/** Where a record is stored: a line of a part. */
export interface RecordAddress {
  readonly bucket: string;
  readonly key: string;
  /** From 1. */
  readonly line: number;
}

/** Reads the record of a change; `undefined` when there is nothing any more. May throw: then the event comes again. */
export type RecordReader = (address: RecordAddress) => Promise<string | undefined>;

/** The record is not stored any more: parts are kept as long as `keepExports` says. */
export interface RecordGone {
  readonly kind: 'gone';
  readonly recordAt: RecordAddress;
}

/** One record that was added, changed or removed between two complete exports of a list. */
export type ChangeEvent<Value = unknown> =
  | AddedRecord<Value>
  | ChangedRecord<Value>
  | RemovedRecord<Value>;

export interface AddedRecord<Value = unknown> extends ChangeFacts<Value> {
  readonly kind: 'added';
  /** Hash of the record, 16 hex digits; equal for records that differ in form alone. */
  readonly after: string;
}

export interface ChangedRecord<Value = unknown> extends ChangeFacts<Value> {
  readonly kind: 'changed';
  /** Names of the top-level members that are other than before, new or gone; 100 at most. */
  readonly members: readonly string[];
  /** Hash of the record in the earlier export. */
  readonly before: string;
  readonly after: string;
}

export interface RemovedRecord<Value = unknown> extends ChangeFacts<Value> {
  readonly kind: 'removed';
  readonly before: string;
}

interface ChangeFacts<Value> {
  /** Equal for repeats of an event. */
  readonly id: string;
  /** When the comparison ended, milliseconds since the epoch. */
  readonly atMs: number;
  /** Which integration published it: the output `IntegrationId` of its stack. */
  readonly integration: string;
  readonly connection: string;
  readonly list: string;
  /** The export in which it was found. */
  readonly exportId: string;
  /**
   * When that export began, milliseconds since the epoch. Events come in any order: of two of one record the one with
   * the greater number is the later change.
   */
  readonly exportStartedAtMs: number;
  /** The export that it was compared with. */
  readonly sinceExportId: string;
  /** The member of a record that holds its id. */
  readonly idKey: string;
  /** The id as people write it: the digits of a number, the characters of a text. */
  readonly recordId: string;
  /** JSON text of the id, every digit as it was received: `1` and `"1"` are two ids. */
  readonly recordIdJson: string;
  readonly recordAt: RecordAddress;
  /**
   * The record: the new one, of a removed record the last one. It is taken from the event if it is there (the setting
   * `withRecord`), else from where it is stored, once.
   *
   * @throws SettingError when the event has no record and nothing to read it with was given; what the reader throws.
   */
  readonly readRecord: () => Promise<TypedRecord<Value> | Misfit | RecordGone>;
}

interface ChangeReading {
  /** Of any library that keeps to Standard Schema. */
  readonly schema?: StandardSchemaV1 | undefined;
  /** For records that are not in their event. */
  readonly readRecord?: RecordReader | undefined;
}

/** Makes the change that a handler sees of what an event says. */
export function changeEventOf(
  { record: told, ...detail }: ChangeDetail,
  { schema, readRecord }: ChangeReading,
): ChangeEvent {
  const { recordAt, idKey } = detail;
  const read = async () => {
    const text = told ?? (await storedText(detail, readRecord));
    if (text === undefined) return { kind: 'gone', recordAt } as const;
    const record = { text, idKey };
    return schema === undefined ? uncheckedRecord(record) : checkedRecord(record, schema);
  };
  let reading: ReturnType<typeof read> | undefined;
  return {
    ...detail,
    readRecord: () => {
      reading ??= read();
      return reading;
    },
  };
}

/** @returns `undefined` also for another record: what is stored there is not what was compared any more. */
async function storedText(
  { recordAt, idKey, recordIdJson }: ChangeDetail,
  readRecord: RecordReader | undefined,
): Promise<string | undefined> {
  if (readRecord === undefined) throw new SettingError('readRecord', READER_EXPECTED);
  const text = await readRecord(recordAt);
  if (text === undefined) return undefined;
  return unescapedId(idOf(text, idKey) ?? '') === unescapedId(recordIdJson) ? text : undefined;
}

const READER_EXPECTED =
  'expected something that reads records, since the event has none: give s3RecordReader(), or let events have their records (the setting changes.withRecord)';
