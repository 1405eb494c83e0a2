/**
 * Makes the JSON text of any record of a resource, without keeping it. `sequence` is 0, 1, 2...; the
 * same sequence and version always give the same text.
 */
export interface RecordSource {
  /** As it stands in a path. */
  idOf(sequence: number): string;
  /** Undefined when no record can have this id. */
  sequenceOf(id: string): number | undefined;
  /** The id as it stands in the record. */
  idJson(id: string): string;
  textOf(sequence: number, version: number): string;
  /** Of a record that nobody has changed: what `?status=` selects by. @default - records have no status */
  statusOf?(sequence: number): string;
}

type Ids = Pick<RecordSource, 'idOf' | 'sequenceOf' | 'idJson'>;

/** Apart enough that no two organizations share an id. */
const IDS_PER_ORGANIZATION = 100_000_000;

/** Numbers without a gap, from the first one of the first organization on. */
export function numberIds(firstOfAll: bigint, organizationIndex: number): Ids {
  const firstId = firstOfAll + BigInt(organizationIndex * IDS_PER_ORGANIZATION);
  return {
    idOf: (sequence) => String(firstId + BigInt(sequence)),
    sequenceOf: (id) =>
      /^[1-9]\d{0,18}$/.test(id) ? sequenceIn(Number(BigInt(id) - firstId)) : undefined,
    idJson: (id) => id,
  };
}

/** Text with leading zeros, such as `sub_0000000001`. */
export function textIds(prefix: string, organizationIndex: number): Ids {
  const first = organizationIndex * IDS_PER_ORGANIZATION + 1;
  return {
    idOf: (sequence) => prefix + String(first + sequence).padStart(10, '0'),
    sequenceOf: (id) =>
      id.startsWith(prefix) && /^\d{10}$/.test(id.slice(prefix.length))
        ? sequenceIn(Number(id.slice(prefix.length)) - first)
        : undefined,
    idJson: (id) => JSON.stringify(id),
  };
}

function sequenceIn(sequence: number): number | undefined {
  return sequence >= 0 && sequence < IDS_PER_ORGANIZATION ? sequence : undefined;
}
