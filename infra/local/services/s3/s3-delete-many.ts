import type { Fauxqs } from '../fauxqs.ts';

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
 * @param request Path and query, and its XML.
 * @param refusalOf Why this key may not be deleted; `undefined` when it may.
 */
export async function deleteMany(
  engine: Fauxqs,
  request: { readonly target: string; readonly body: string },
  refusalOf: (key: string) => { readonly message: string } | undefined,
): Promise<{ readonly status: number; readonly body: string }> {
  const { target, body } = request;
  const errors: string[] = [];
  const allowed = body.replace(OBJECT, (object) => {
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
    url: target,
    headers: { 'content-type': 'application/xml' },
    payload: allowed,
  });
  const whole = answer.payload.replace('</DeleteResult>', `${errors.join('')}</DeleteResult>`);
  return { status: answer.statusCode, body: whole };
}

function unescaped(xml: string): string {
  return xml.replace(/&(lt|gt|quot|apos|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}
