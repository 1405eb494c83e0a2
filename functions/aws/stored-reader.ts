import { Readable } from 'node:stream';
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { AwsCallError, callAws, unlessNoSuchKey } from './call-aws.ts';

/** Reads objects of one S3 bucket piece by piece, as they are stored. Throws AwsCallError, also in the middle. */
export function createStoredReader(
  client: S3Client,
  bucket: string,
): (key: string) => AsyncIterable<Uint8Array> {
  return async function* read(key) {
    const command = new GetObjectCommand({ Bucket: bucket, Key: key });
    const { Body: body } = await callAws('S3 GetObject', () => client.send(command));
    if (!(body instanceof Readable)) throw new AwsCallError('S3 GetObject', 'NoBody');
    const pieces = body[Symbol.asyncIterator]();
    try {
      while (true) {
        const piece = await callAws('S3 GetObject', () => pieces.next());
        if (piece.done) return;
        yield piece.value;
      }
    } finally {
      body.destroy();
    }
  };
}

/** Reads whole objects of one S3 bucket, some megabytes each; `undefined` for one that is not there. */
export function createWholeReader(
  client: S3Client,
  bucket: string,
): (key: string) => Promise<Uint8Array | undefined> {
  return async (key) => {
    const command = new GetObjectCommand({ Bucket: bucket, Key: key });
    const read = async () => {
      const { Body: body } = await client.send(command);
      return (await body?.transformToByteArray()) ?? new Uint8Array();
    };
    return unlessNoSuchKey(() => callAws('S3 GetObject', read));
  };
}
