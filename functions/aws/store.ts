import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { defined } from '../../lib/defined.ts';
import type { ObjectAbout, Store, StoredObject, StoredText } from '../../lib/exports/ports.ts';
import { AwsCallError, callAws, isAwsCode, unlessNoSuchKey } from './call-aws.ts';

/** S3's limit of keys in one DeleteObjects. */
const MAX_KEYS_PER_DELETE = 1000;
/** S3 answers 409 while two conditional writes of one key meet, and asks to repeat. */
const MAX_TRIES_ON_CONFLICT = 5;

interface Bucket {
  readonly client: S3Client;
  readonly bucket: string;
}

interface Content {
  readonly body: Uint8Array;
  readonly about: ObjectAbout;
}

/** Objects in one S3 bucket. */
export function createStore(client: S3Client, bucket: string): Store {
  const at: Bucket = { client, bucket };
  return {
    put: (key, body, about) => put(at, key, { body, about }),
    read: (key) => readText(at, key),
    readBytes: (key, from, to) => {
      // Both ends of a range are included (RFC 9110 section 14.1.2).
      const range = { Bucket: bucket, Key: key, Range: `bytes=${from}-${to - 1}` };
      const command = new GetObjectCommand(range);
      return callAws('S3 GetObject', async () => {
        const { Body: body } = await client.send(command);
        return (await body?.transformToByteArray()) ?? new Uint8Array();
      });
    },
    replace: (key, body, about, expectedVersion) =>
      replace(at, key, { body, about }, expectedVersion),
    list: (prefix) => objectsBelow(at, prefix),
    delete: (keys) => remove(at, keys),
  };
}

async function put(
  { client, bucket }: Bucket,
  key: string,
  { body, about }: Content,
  precondition: { IfMatch?: string; IfNoneMatch?: string } = {},
): Promise<string> {
  const command = new PutObjectCommand({
    Bucket: bucket,
    Key: key,
    Body: body,
    ContentType: about.contentType,
    ...defined({ ContentEncoding: about.contentEncoding }),
    ChecksumSHA256: Buffer.from(about.sha256, 'hex').toString('base64'),
    ...precondition,
  });
  const { ETag: version } = await callAws('S3 PutObject', () => client.send(command));
  if (version === undefined) throw new AwsCallError('S3 PutObject', 'NoETag');
  return version;
}

async function replace(
  at: Bucket,
  key: string,
  content: Content,
  expectedVersion: string | undefined,
): Promise<'replaced' | 'changed'> {
  const precondition =
    expectedVersion === undefined ? { IfNoneMatch: '*' } : { IfMatch: expectedVersion };
  for (let tries = 1; ; tries++) {
    try {
      await put(at, key, content, precondition);
      return 'replaced';
    } catch (error) {
      if (isAwsCode(error, 'ConditionalRequestConflict') && tries < MAX_TRIES_ON_CONFLICT) {
        continue;
      }
      // NoSuchKey: the object to be replaced has been deleted.
      if (!isAwsCode(error, 'PreconditionFailed', 'NoSuchKey')) throw error;
      // The first attempt may have succeeded and its answer got lost, so that the SDK's second one
      // met the object of the first.
      const current = await readText(at, key);
      return current?.text === Buffer.from(content.body).toString() ? 'replaced' : 'changed';
    }
  }
}

async function remove({ client, bucket }: Bucket, keys: readonly string[]): Promise<void> {
  for (let from = 0; from < keys.length; from += MAX_KEYS_PER_DELETE) {
    const some = keys.slice(from, from + MAX_KEYS_PER_DELETE);
    const command = new DeleteObjectsCommand({
      Bucket: bucket,
      Delete: { Objects: some.map((key) => ({ Key: key })), Quiet: true },
    });
    const answer = await callAws('S3 DeleteObjects', () => client.send(command));
    const [refused] = answer.Errors ?? [];
    // The call succeeds although keys in it were refused.
    if (refused) throw new AwsCallError('S3 DeleteObjects', refused.Code ?? 'KeyRefused');
  }
}

async function readText({ client, bucket }: Bucket, key: string): Promise<StoredText | undefined> {
  const command = new GetObjectCommand({ Bucket: bucket, Key: key });
  // The body is a part of the call: its connection may break too.
  const read = async () => {
    const answer = await client.send(command);
    const text = (await answer.Body?.transformToString()) ?? '';
    if (answer.ETag === undefined) throw new AwsCallError('S3 GetObject', 'NoETag');
    return { text, version: answer.ETag };
  };
  return unlessNoSuchKey(() => callAws('S3 GetObject', read));
}

async function objectsBelow(
  { client, bucket }: Bucket,
  prefix: string,
): Promise<readonly StoredObject[]> {
  const objects: StoredObject[] = [];
  let next: string | undefined;
  do {
    const command = new ListObjectsV2Command({
      Bucket: bucket,
      Prefix: prefix,
      ...defined({ ContinuationToken: next }),
    });
    const answer = await callAws('S3 ListObjectsV2', () => client.send(command));
    for (const { Key: key, Size: bytes, ETag: version } of answer.Contents ?? []) {
      if (key === undefined || bytes === undefined || version === undefined) {
        throw new AwsCallError('S3 ListObjectsV2', 'IncompleteEntry');
      }
      objects.push({ key, bytes, version });
    }
    next = answer.NextContinuationToken;
  } while (next !== undefined);
  return objects;
}
