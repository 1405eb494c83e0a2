import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';

/** Long enough to begin a download by hand, or one after the other of a page of files; a leaked URL is soon worthless. */
const VALID_SECONDS = 15 * 60;

interface PresignedUrl {
  /** Whoever has it reads the object, until it expires: never to be logged. */
  readonly url: string;
  /** Milliseconds since the epoch. It expires sooner if the session of the function's role does. */
  readonly expiresAtMs: number;
}

export type PresignUrl = (key: string, nowMs: number) => Promise<PresignedUrl>;

/**
 * Makes URLs by which an object of the bucket is read without credentials, signed as the role of this function. No
 * request is made.
 */
export function createPresignUrl(client: S3Client, bucket: string): PresignUrl {
  return async (key, nowMs) => {
    // The URL has its date in whole seconds.
    const signedAtMs = Math.floor(nowMs / 1000) * 1000;
    const command = new GetObjectCommand({ Bucket: bucket, Key: key });
    const url = await getSignedUrl(client, command, {
      expiresIn: VALID_SECONDS,
      signingDate: new Date(signedAtMs),
    });
    return { url, expiresAtMs: signedAtMs + VALID_SECONDS * 1000 };
  };
}
