import * as v from 'valibot';
import { type ServiceError, serviceError } from '../../endpoint/aws-call.ts';
import { type JsonAnswer, type JsonService, jsonAnswer } from '../../endpoint/json-service.ts';
import type { MeterOf } from '../../endpoint/usage.ts';
import type { AccountPlace } from '../../template/place.ts';
import { type Secret, type SecretStore, secretArn } from './secret-store.ts';

type Action = (parameters: unknown, store: SecretStore) => JsonAnswer | ServiceError;

const tagsSchema = v.pipe(
  v.array(v.object({ Key: v.string(), Value: v.string() })),
  v.transform((tags) => tags.map(({ Key, Value }) => [Key, Value] as const)),
);
const valueEntries = { SecretString: v.string(), ClientRequestToken: v.optional(v.string()) };

/** On AWS an exclamation mark in front means every other name; that is not run here. */
const prefixSchema = v.pipe(v.string(), v.regex(/^[^!]/));

/** The actions that are run. A parameter that is not named here is refused. */
const actions: Readonly<Record<string, Action>> = {
  GetSecretValue: action({ SecretId: v.string() }, ({ SecretId }, store) => {
    const secret = store.find(SecretId);
    if (secret === undefined) return notFound();
    const { text: SecretString, changedMs } = secret;
    return jsonAnswer({ ...identity(secret), SecretString, CreatedDate: changedMs / 1000 });
  }),
  PutSecretValue: action({ SecretId: v.string(), ...valueEntries }, (parameters, store) => {
    const secret = store.find(parameters.SecretId);
    if (secret === undefined) return notFound();
    const { SecretString, ClientRequestToken } = parameters;
    return jsonAnswer(identity(store.put(secret.name, SecretString, ClientRequestToken)));
  }),
  CreateSecret: action(
    { Name: v.string(), ...valueEntries, Tags: v.optional(tagsSchema, []) },
    ({ Name, SecretString, ClientRequestToken, Tags }, store) => {
      if (store.find(Name) !== undefined) return exists(`The secret ${Name} already exists.`);
      const secret = store.put(Name, SecretString, ClientRequestToken);
      store.tag(secret, Tags);
      return jsonAnswer(identity(secret));
    },
  ),
  ListSecrets: action(
    {
      MaxResults: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)), 100),
      NextToken: v.optional(v.pipe(v.string(), v.transform(Number), v.integer()), '0'),
      Filters: v.optional(
        v.array(v.object({ Key: v.literal('name'), Values: v.array(prefixSchema) })),
        [],
      ),
    },
    ({ MaxResults, NextToken, Filters }, store) => {
      const wanted = store
        .all()
        .filter(({ name }) =>
          Filters.every(({ Values }) => Values.some((value) => hasPrefix(name, value))),
        );
      const end = NextToken + MaxResults;
      return jsonAnswer({
        SecretList: wanted.slice(NextToken, end).map(listEntry),
        ...(end < wanted.length && { NextToken: String(end) }),
      });
    },
  ),
  TagResource: action({ SecretId: v.string(), Tags: tagsSchema }, ({ SecretId, Tags }, store) => {
    const secret = store.find(SecretId);
    if (secret === undefined) return notFound();
    store.tag(secret, Tags);
    return jsonAnswer({});
  }),
};

const addressSchema = v.object({
  SecretId: v.exactOptional(v.string()),
  Name: v.exactOptional(v.string()),
});

/** AWS Secrets Manager for the callers of the endpoint: text secrets and their current versions. */
export function secretsManagerService(
  store: SecretStore,
  place: AccountPlace,
  meterOf: MeterOf,
): JsonService {
  return {
    actions: new Set(Object.keys(actions)),
    requests(name, parameters) {
      const parsed = v.safeParse(addressSchema, parameters);
      const { SecretId, Name } = parsed.success ? parsed.output : {};
      const made = Name && secretArn(Name, place);
      const resource = SecretId === undefined ? made : arnOf(SecretId, store, place);
      return [{ action: `secretsmanager:${name}`, resource: resource ?? '*' }];
    },
    async answer(caller, name, parameters) {
      meterOf(caller).call(caller, 'secretsmanager', name);
      return actions[name]?.(parameters, store) ?? notFound();
    },
  };
}

function action<const Entries extends v.ObjectEntries>(
  entries: Entries,
  run: (
    parameters: v.InferOutput<v.StrictObjectSchema<Entries, undefined>>,
    store: SecretStore,
  ) => JsonAnswer | ServiceError,
): Action {
  const schema = v.strictObject(entries);
  return (parameters, store) => {
    const parsed = v.safeParse(schema, parameters);
    if (parsed.success) return run(parsed.output, store);
    // The names of the members alone: their values are secret.
    const members = parsed.issues.map((issue) => v.getDotPath(issue) ?? 'the body').join(', ');
    return serviceError('ValidationException', `Not as expected: ${members}.`);
  };
}

/** What permissions are compared with: for a secret that is not there its name, which nothing has been added to. */
function arnOf(id: string, store: SecretStore, { region, accountId }: AccountPlace): string {
  const found = store.find(id)?.arn ?? (id.startsWith('arn:') ? id : undefined);
  return found ?? `arn:aws:secretsmanager:${region}:${accountId}:secret:${id}`;
}

function identity({ arn, name, versionId }: Secret) {
  return { ARN: arn, Name: name, VersionId: versionId, VersionStages: ['AWSCURRENT'] };
}

function listEntry({ arn, name, createdMs, tags }: Secret) {
  return {
    ARN: arn,
    Name: name,
    CreatedDate: createdMs / 1000,
    Tags: [...tags].map(([Key, Value]) => ({ Key, Value })),
  };
}

/** The `name` filter matches prefixes in any case (API reference, Filter). */
function hasPrefix(name: string, value: string): boolean {
  return name.toLowerCase().startsWith(value.toLowerCase());
}

function notFound(): ServiceError {
  const message = "Secrets Manager can't find the specified secret.";
  return serviceError('ResourceNotFoundException', message);
}

function exists(message: string): ServiceError {
  return serviceError('ResourceExistsException', message);
}
