import type { IncomingMessage } from 'node:http';
import type { QueueEngine } from '../sqs/sqs-engine.ts';

const OBJECT = /<Object>[\s\S]*?<\/Object>/g;
const KEY = /<Key>([^<]*)<\/Key>/;
const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
};

/**
 * Deletes many objects of a bucket. One that the caller may not delete fails alone, as on S3
 * (API reference, DeleteObjects).
 *
 * @param refusalOf Why this key may not be deleted; `undefined` when it may.
 * @returns The answer's status and XML.
 */
export async function deleteMany(
  engine: QueueEngine,
  request: IncomingMessage,
  refusalOf: (key: string) => { readonly message: string } | undefined,
): Promise<{ readonly status: number; readonly body: string }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const errors: string[] = [];
  const allowed = Buffer.concat(chunks)
    .toString('utf8')
    .replace(OBJECT, (object) => {
      const [, written = ''] = KEY.exec(object) ?? [];
      if (refusalOf(unescaped(written)) === undefined) return object;
      errors.push(
        `<Error><Key>${written}</Key><Code>AccessDenied</Code><Message>Access Denied</Message></Error>`,
      );
      return '';
    });
  if (!allowed.includes('<Object>') && errors.length > 0) {
    return { status: 200, body: `<DeleteResult>${errors.join('')}</DeleteResult>` };
  }
  const answer = await engine.inject({
    method: 'POST',
    url: request.url ?? '/',
    headers: { 'content-type': 'application/xml' },
    payload: allowed,
  });
  const body = answer.payload.replace('</DeleteResult>', `${errors.join('')}</DeleteResult>`);
  return { status: answer.statusCode, body };
}

function unescaped(text: string): string {
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}
