import { createHash } from 'node:crypto';
import type { ObjectAbout } from './ports.ts';

/** A value as a JSON object for the store: on one line, which is what Athena and its like read as a row. */
export function storeJson(value: object): {
  readonly body: Uint8Array;
  readonly about: ObjectAbout;
} {
  const body = Buffer.from(`${JSON.stringify(value)}\n`);
  const sha256 = createHash('sha256').update(body).digest('hex');
  return { body, about: { contentType: 'application/json', sha256 } };
}
