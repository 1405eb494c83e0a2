import * as v from 'valibot';
import { defined } from '../defined.ts';
import { LINE_FEED } from '../json/json-tokens.ts';
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

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

export const recordsReportEntries = {
  records: count,
  tooLong: v.exactOptional(count),
  record: ShapeReportSchema,
};

export const RecordsReportSchema: v.GenericSchema<unknown, RecordsReport> =
  v.looseObject(recordsReportEntries);

/** A record is held in memory as a whole. An API's answers have 16 MiB at most by default, with all their records. */
export const MAX_RECORD_BYTES = 16 * 1024 * 1024;

/** A line inside of one piece is not too long, so it is the same in whatever pieces the records come. */
const PIECE_BYTES = 1024 * 1024;

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

/** Describes records as they come: one JSON text a line, without white space between its tokens, in any pieces. */
export class RecordsDescriber {
  readonly #shape: Shape;
  readonly #scanner: ShapeScanner;
  #records: number;
  #tooLong: number;
  /** The beginning of a line whose end has not come yet. */
  #line: Uint8Array[] = [];
  #lineBytes = 0;

  /** @param soFar Of the records before. */
  constructor(soFar: RecordsReport = NOTHING) {
    const { shape, shapes } = shapeOf(soFar.record);
    this.#shape = shape;
    this.#scanner = new ShapeScanner(shapes);
    this.#records = soFar.records;
    this.#tooLong = soFar.tooLong ?? 0;
  }

  /** @param chunk Belongs to the describer from now on. @throws NoRecordError */
  push(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length; from += PIECE_BYTES) {
      this.#pushPiece(chunk.subarray(from, from + PIECE_BYTES));
    }
  }

  #pushPiece(chunk: Uint8Array): void {
    const firstEnd = chunk.indexOf(LINE_FEED) + 1;
    let from = 0;
    if (firstEnd > 0 && this.#lineBytes > 0) {
      this.#keep(chunk.subarray(0, firstEnd));
      this.#describeKept();
      from = firstEnd;
    }
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    this.#describe(chunk, from, end);
    if (end < chunk.length) this.#keep(chunk.subarray(end));
  }

  /** What was described until now. @throws NoRecordError in the middle of a record. */
  report(): RecordsReport {
    if (this.#lineBytes > 0) throw new NoRecordError(this.#records + 1);
    const tooLong = this.#tooLong || undefined;
    return { records: this.#records, ...defined({ tooLong }), record: reportOf(this.#shape) };
  }

  #keep(bytes: Uint8Array): void {
    this.#lineBytes += bytes.length;
    if (this.#lineBytes <= MAX_RECORD_BYTES) this.#line.push(bytes);
    else this.#line = [];
  }

  #describeKept(): void {
    const line = this.#line;
    const isTooLong = this.#lineBytes > MAX_RECORD_BYTES;
    this.#line = [];
    this.#lineBytes = 0;
    if (isTooLong) {
      this.#records++;
      this.#tooLong++;
      return;
    }
    const bytes = Buffer.concat(line);
    this.#describe(bytes, 0, bytes.length);
  }

  /** Whole lines. */
  #describe(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; this.#records++) {
      const end = this.#scanner.add(this.#shape, bytes, at);
      if (bytes[end] !== LINE_FEED) throw new NoRecordError(this.#records + 1);
      at = end + 1;
    }
  }
}
