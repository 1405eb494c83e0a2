import { S3Client } from '@aws-sdk/client-s3';
import type { RecordReader } from '../../lib/changes/change-event.ts';
import { compressionOf } from '../../lib/exports/compression.ts';
import { unpack } from '../../lib/exports/packing.ts';
import { LINE_FEED } from '../../lib/json/json-tokens.ts';
import { unlessNoSuchKey } from './call-aws.ts';
import { STORE_CLIENT_SETTINGS } from './client-settings.ts';
import { createStoredReader } from './stored-reader.ts';

/**
 * Reads records from the parts in S3, for `eachChange`. The function needs `grantRead`. A part is read from its start
 * up to the record, a few megabytes for each call: where most changes are looked into, let events have their records
 * (the setting `changes.withRecord`).
 */
export function s3RecordReader(): RecordReader {
  const client = new S3Client(STORE_CLIENT_SETTINGS);
  return async ({ bucket, key, line }) => {
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
