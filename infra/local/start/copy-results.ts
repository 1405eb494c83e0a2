import { GetObjectCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import { fileOf, PREFIX, storeFile } from './out-folder.ts';

/**
 * Copies what the export left in the bucket to a folder, the manifests last, as the worker writes them.
 *
 * @returns The files, absolute paths.
 * @throws SettingError naming `--out` when it cannot be written.
 */
export async function copyResults(
  client: S3Client,
  bucket: string,
  out: string,
): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: PREFIX })) {
    keys.push(...(page.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [Key])));
  }
  const isLast = (key: string) => Number(key.endsWith('.json'));
  const files: string[] = [];
  for (const key of keys.sort((a, b) => isLast(a) - isLast(b))) {
    const object = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    const file = fileOf(out, key);
    await storeFile(file, (await object.Body?.transformToByteArray()) ?? new Uint8Array());
    files.push(file);
  }
  return files;
}
