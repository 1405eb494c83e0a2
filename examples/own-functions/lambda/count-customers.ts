import { Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { EventBridgeEvent } from 'aws-lambda';

interface ExportCompleted {
  readonly connection: string;
  readonly manifestKey: string;
}

const s3 = new S3Client({});
const Bucket = process.env['EXPORT_BUCKET'];

/** Reads each customer of a completed export, one line at a time. */
export async function handler({ detail }: EventBridgeEvent<'Export Completed', ExportCompleted>) {
  const stored = await s3.send(new GetObjectCommand({ Bucket, Key: detail.manifestKey }));
  const manifest: { parts: { key: string }[] } = JSON.parse(
    (await stored.Body?.transformToString()) ?? '{"parts":[]}',
  );
  let customers = 0;
  for (const { key } of manifest.parts) {
    for await (const line of linesOf(key)) {
      // One customer as JSON text, as the API sent it.
      if (line.startsWith('{')) customers++;
    }
  }
  return { connection: detail.connection, customers };
}

/** Only a line feed ends a line: `readline` would also cut a record at U+2028, which a text may hold. */
async function* linesOf(Key: string): AsyncGenerator<string> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
  if (!(Body instanceof Readable)) throw new Error(`${Key} cannot be read as a stream`);
  // zstd needs Node.js 22.15 or newer.
  const unpacked = Key.endsWith('.zst') ? zlib.createZstdDecompress() : zlib.createGunzip();
  let begun = '';
  for await (const text of Body.pipe(unpacked).setEncoding('utf8')) {
    const lines = `${begun}${text}`.split('\n');
    begun = lines.pop() ?? '';
    for (const line of lines) yield line;
  }
}
