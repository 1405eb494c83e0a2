import { type HashRecord, hashIdAndText, WORDS_A_RECORD } from '../customers-api/record-hashes.ts';
import { idBytes, idSpan } from '../customers-api/record-places.ts';
import { LINE_FEED } from '../json/json-tokens.ts';
import type { LineTaker } from '../json/whole-lines.ts';
import { encodeRun, type RunRecord, runBytes } from './record-run.ts';
import type { WantedRecords } from './wanted-records.ts';

/** Where the records stand that come next. */
type PartPlace = Pick<RunRecord, 'side' | 'part'>;

/** Takes the lines of parts, one part after another, and keeps the wanted ones until they are taken as a run. */
export class RunCollector implements LineTaker {
  readonly #name: Uint8Array;
  readonly #hashRecord: HashRecord;
  readonly #words = new Uint32Array(WORDS_A_RECORD);
  #place: PartPlace = { side: 'before', part: 0 };
  #wanted: WantedRecords | undefined;
  #start = 0;
  #line = 0;
  #records: RunRecord[] = [];
  /** How long the run is that the records make. */
  bytes = 0;

  constructor(idKey: string, hashRecord: HashRecord = hashIdAndText) {
    this.#name = Buffer.from(JSON.stringify(idKey));
    this.#hashRecord = hashRecord;
  }

  open(place: PartPlace, wanted: WantedRecords): void {
    this.#place = place;
    this.#wanted = wanted;
    this.#start = wanted.startOf(place.side, place.part);
    this.#line = 0;
  }

  take(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; this.#line++) {
      const end = bytes.indexOf(LINE_FEED, at);
      if (this.#wanted?.isWanted(this.#start + this.#line)) {
        this.#add(Buffer.from(bytes.subarray(at, end)));
      }
      at = end + 1;
    }
  }

  takeLonger(): void {
    this.#line++;
  }

  takeRun(): Uint8Array {
    const run = encodeRun(this.#records);
    this.#records = [];
    this.bytes = 0;
    return run;
  }

  #add(text: Uint8Array): void {
    const record = { bytes: text, start: 0, end: text.length };
    this.#hashRecord(this.#words, 0, record, this.#name);
    const [low = 0, high = 0] = this.#words;
    const id = idBytes(text, idSpan(record, this.#name) ?? { start: 0, end: 0 });
    const added = { low, high, id, text, ...this.#place, line: this.#line };
    this.#records.push(added);
    this.bytes += runBytes(added);
  }
}
