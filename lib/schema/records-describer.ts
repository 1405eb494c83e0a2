import * as v from 'valibot';
import { defined } from '../defined.ts';
import { LINE_FEED } from '../json/json-tokens.ts';
import { WholeLines } from '../json/whole-lines.ts';
import { count } from '../stored.ts';
import type { Shape } from './shape.ts';
import { reportOf, type ShapeReport, ShapeReportSchema, shapeOf } from './shape-report.ts';
import { ShapeScanner } from './shape-scanner.ts';

/** What records look like; equal records in the same order give an equal one, in however many steps it is made. */
export interface RecordsReport {
  readonly records: number;
  /** Records longer than {@link MAX_RECORD_BYTES}, which the report does not look into. */
  readonly tooLong?: number;
  /** Of the record as a whole. */
  readonly record: ShapeReport;
}

export const recordsReportEntries = {
  records: count,
  tooLong: v.exactOptional(count),
  record: ShapeReportSchema,
};

export const RecordsReportSchema: v.GenericSchema<unknown, RecordsReport> =
  v.looseObject(recordsReportEntries);

/** A record is held in memory as a whole. An API's answers have 16 MiB at most by default, with all their records. */
export const MAX_RECORD_BYTES = 16 * 1024 * 1024;

const NOTHING: RecordsReport = { records: 0, record: { types: {} } };

/** A line that is no JSON text: the parts of an export have none. */
export class NoRecordError extends Error {
  override readonly name = 'NoRecordError';
  readonly code = 'NO_RECORD';

  /** @param record Its number, from 1. */
  constructor(record: number) {
    super(`record ${record} is not one JSON text on a line of its own`);
  }
}

/** Gets each record on its way, with its bytes in `bytes`; the line feed is at `end`. */
export type EachRecord = (bytes: Uint8Array, start: number, end: number) => void;

/** Describes records as they come: one JSON text a line, without white space between its tokens, in any pieces. */
export class RecordsDescriber {
  readonly #shape: Shape;
  readonly #scanner: ShapeScanner;
  readonly #lines: WholeLines;
  #records: number;
  #tooLong: number;

  /**
   * @param soFar Of the records before.
   * @param eachRecord Called for all but those that are too long.
   */
  constructor(soFar: RecordsReport = NOTHING, eachRecord?: EachRecord) {
    const { shape, shapes } = shapeOf(soFar.record);
    this.#shape = shape;
    this.#scanner = new ShapeScanner(shapes);
    this.#records = soFar.records;
    this.#tooLong = soFar.tooLong ?? 0;
    const take = (bytes: Uint8Array, from: number, to: number) =>
      this.#describe(bytes, from, to, eachRecord);
    this.#lines = new WholeLines({ take, takeLonger: () => this.#passOver() }, MAX_RECORD_BYTES);
  }

  /** @throws NoRecordError */
  push(chunk: Uint8Array): void {
    this.#lines.push(chunk);
  }

  /** What was described until now. @throws NoRecordError in the middle of a record. */
  report(): RecordsReport {
    if (this.#lines.isCut) throw new NoRecordError(this.#records + 1);
    const tooLong = this.#tooLong || undefined;
    return { records: this.#records, ...defined({ tooLong }), record: reportOf(this.#shape) };
  }

  #passOver(): void {
    this.#records++;
    this.#tooLong++;
  }

  #describe(bytes: Uint8Array, from: number, to: number, eachRecord?: EachRecord): void {
    for (let at = from; at < to; this.#records++) {
      const end = this.#scanner.add(this.#shape, bytes, at);
      if (bytes[end] !== LINE_FEED) throw new NoRecordError(this.#records + 1);
      eachRecord?.(bytes, at, end);
      at = end + 1;
    }
  }
}
