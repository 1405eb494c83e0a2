/**
 * About how many different records a list has had, in 256 characters: the registers of a HyperLogLog (Flajolet et al.
 * 2007), which a walk takes along from step to step.
 */

const REGISTERS = 256;
/** The character of an empty register; a register holds at most 33, so all are printable. */
const EMPTY = 48;
const BIAS = 0.7213 / (1 + 1.079 / REGISTERS);
/** Of the ranks 0 to 33, the share of records that reach each. Each page asks for 256 of them. */
const SHARES = Array.from({ length: 34 }, (_, rank) => 2 ** -rank);

/** Full registers, for who does not ask: more different records than any list has. */
export const COUNTLESS = String.fromCharCode(EMPTY + 33).repeat(REGISTERS);

/** The registers after more records; `undefined` before the first one. */
export function withRecords(registers: string | undefined, hashes: Uint32Array): string {
  const known = registers ?? String.fromCharCode(EMPTY).repeat(REGISTERS);
  const bytes = Buffer.from(known, 'latin1');
  let isChanged = false;
  for (let at = 0; at < hashes.length; at += 2) {
    // Bit 0 only tells whether the record has an id.
    const register = ((hashes[at] ?? 0) >>> 1) % REGISTERS;
    const rank = EMPTY + Math.clz32(hashes[at + 1] ?? 0) + 1;
    if (rank <= (bytes[register] ?? 0)) continue;
    bytes[register] = rank;
    isChanged = true;
  }
  return isChanged ? bytes.toString('latin1') : known;
}

/** The standard error is 6.5 %, and less up to some hundred records. */
export function estimatedRecords(registers: string): number {
  let sum = 0;
  let empty = 0;
  for (let at = 0; at < REGISTERS; at++) {
    const rank = registers.charCodeAt(at) - EMPTY;
    sum += SHARES[rank] ?? 0;
    if (rank === 0) empty++;
  }
  const estimate = (BIAS * REGISTERS * REGISTERS) / sum;
  // Small lists are counted by the registers that are still empty ("linear counting", in the same paper).
  if (estimate > 2.5 * REGISTERS || empty === 0) return estimate;
  return REGISTERS * Math.log(REGISTERS / empty);
}
