import { S3Client } from '@aws-sdk/client-s3';
import * as v from 'valibot';
import type { RecordAddress, RecordReader } from '../../lib/changes/change-event.ts';
import { parseOptions, takeNone } from '../../lib/customers-api/parse-options.ts';
import { compressionOf } from '../../lib/exports/compression.ts';
import { unpack } from '../../lib/exports/packing.ts';
import { LINE_FEED } from '../../lib/json/json-tokens.ts';
import { wholeNumber } from '../../lib/number-range.ts';
import { unlessNoSuchKey } from './call-aws.ts';
import { storeClientSettings } from './client-settings.ts';
import { createStoredReader } from './stored-reader.ts';

const AddressSchema = v.strictObject({
  bucket: v.pipe(v.string(), v.nonEmpty('expected the name of a bucket')),
  key: v.pipe(v.string(), v.nonEmpty('expected the key of a part')),
  line: wholeNumber(1, Number.MAX_SAFE_INTEGER),
} satisfies { readonly [K in keyof RecordAddress]-?: v.GenericSchema });

/**
 * Reads records from the parts in S3, for `eachChange`. The function needs `grantRead`. A part is read from its start
 * up to the record, a few megabytes for each call: where most changes are looked into, let events have their records
 * (the setting `changes.withRecord`).
 *
 * @param none There is nothing to set.
 * @throws SettingError for options, and when it reads, naming the member of the address that is wrong.
 */
export function s3RecordReader(...none: readonly never[]): RecordReader {
  takeNone(none);
  const client = new S3Client(storeClientSettings());
  return async (address) => {
    const { bucket, key, line } = parseOptions(AddressSchema, address, 'address');
    const stored = createStoredReader(client, bucket)(key);
    return unlessNoSuchKey(() => lineOf(unpack(stored, compressionOf(key)), line));
  };
}

/** @param line From 1. */
async function lineOf(text: AsyncIterable<Uint8Array>, line: number): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  let left = line - 1;
  for await (const chunk of text) {
    let start = 0;
    while (left > 0 && start < chunk.length) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end < 0) break;
      left -= 1;
      start = end + 1;
    }
    if (left > 0) continue;
    const end = chunk.indexOf(LINE_FEED, start);
    pieces.push(chunk.subarray(start, end < 0 ? chunk.length : end));
    if (end >= 0) return Buffer.concat(pieces).toString();
  }
  return undefined;
}
