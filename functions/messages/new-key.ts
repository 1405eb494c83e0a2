import * as v from 'valibot';
import { ConnectionNameSchema } from '../../lib/names.ts';

/** Of Secrets Manager's own event (user guide, "Secret Label Updated event"); `name` is the secret's. */
const NewKeySchema = v.object({
  'detail-type': v.literal('Secret Label Updated'),
  detail: v.object({ name: v.string() }),
});

/**
 * The connection whose secret has a new current version.
 *
 * @param secretPrefix Put before a connection's name to give the name of its secret.
 * @returns `undefined` for any other event, such as that of a schedule.
 */
export function connectionWithNewKey(event: unknown, secretPrefix: string): string | undefined {
  const parsed = v.safeParse(NewKeySchema, event);
  if (!parsed.success) return undefined;
  const { name } = parsed.output.detail;
  const connection = name.startsWith(secretPrefix) ? name.slice(secretPrefix.length) : '';
  return v.is(ConnectionNameSchema, connection) ? connection : undefined;
}
