import {
  type EachRecord,
  NoRecordError,
  RecordsDescriber,
  type RecordsReport,
} from '../schema/records-describer.ts';
import { damageOf, type StoredPart, streamPart } from './stream-part.ts';

export type DescribedPart =
  | { readonly kind: 'described'; readonly report: RecordsReport }
  /** What is stored is not what the manifest says. */
  | { readonly kind: 'damaged'; readonly reason: string };

/**
 * Adds the records of one part to a report, as its bytes come.
 *
 * @param stored The part as it is stored; an error of it is passed on.
 */
export async function describePart(
  part: StoredPart,
  stored: AsyncIterable<Uint8Array>,
  soFar: RecordsReport | undefined,
  eachRecord?: EachRecord,
): Promise<DescribedPart> {
  const describer = new RecordsDescriber(soFar, eachRecord);
  try {
    const damage = await streamPart(part, stored, (piece) => describer.push(piece));
    if (damage !== undefined) return { kind: 'damaged', reason: damage };
    const report = describer.report();
    const records = report.records - (soFar?.records ?? 0);
    if (records === part.customers) return { kind: 'described', report };
    const what = `it has ${records} records instead of ${part.customers}`;
    return { kind: 'damaged', reason: damageOf(part, what) };
  } catch (error) {
    if (!(error instanceof NoRecordError)) throw error;
    return { kind: 'damaged', reason: damageOf(part, error.message) };
  }
}
