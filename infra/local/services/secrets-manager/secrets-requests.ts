import * as v from 'valibot';
import type { IamRequest } from '../../iam/request.ts';
import { secretArn } from '../../template/made-resources.ts';
import type { Place } from '../../template/place.ts';
import type { SecretStore } from './secret-store.ts';

const addressSchema = v.object({
  SecretId: v.optional(v.string()),
  Name: v.optional(v.string()),
});

/** What a call of AWS Secrets Manager needs; a secret that does not exist has the ARN it would get. */
export function secretsRequests(
  action: string,
  parameters: unknown,
  store: SecretStore,
  place: Place,
): readonly IamRequest[] {
  const parsed = v.safeParse(addressSchema, parameters);
  const { SecretId, Name } = parsed.success ? parsed.output : {};
  const id = SecretId ?? Name;
  const arnOf = (wanted: string) =>
    store.find(wanted)?.arn ?? (wanted.startsWith('arn:') ? wanted : secretArn(wanted, place));
  const resource = id === undefined ? '*' : arnOf(id);
  return [{ action: `secretsmanager:${action}`, resource, context: {} }];
}
