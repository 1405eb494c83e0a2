import * as v from 'valibot';
import {
  type AwsService,
  answerJson,
  isServiceError,
  type RefusalOf,
  readJsonBody,
  type ServiceError,
  serviceError,
  targetActionOf,
} from '../../endpoint/aws-call.ts';
import type { MeterOf } from '../../endpoint/usage.ts';
import type { Secret, SecretStore, SecretVersion } from './secret-store.ts';

type Action = (parameters: unknown, store: SecretStore) => unknown;

const secretIdSchema = v.object({ SecretId: v.string() });
const getValueSchema = v.object({
  SecretId: v.string(),
  VersionId: v.optional(v.string()),
  VersionStage: v.optional(v.string()),
});
const putValueSchema = v.object({
  SecretId: v.string(),
  SecretString: v.string(),
  ClientRequestToken: v.optional(v.string()),
  VersionStages: v.optional(v.array(v.string()), ['AWSCURRENT']),
});
const tagsSchema = v.pipe(
  v.array(v.object({ Key: v.string(), Value: v.string() })),
  v.transform((tags) => tags.map(({ Key, Value }) => [Key, Value] as const)),
);
const createSchema = v.object({
  Name: v.string(),
  SecretString: v.optional(v.string()),
  ClientRequestToken: v.optional(v.string()),
  Tags: v.optional(tagsSchema, []),
});
const tagSchema = v.object({ SecretId: v.string(), Tags: tagsSchema });
const updateSchema = v.object({
  SecretId: v.string(),
  SecretString: v.optional(v.string()),
  ClientRequestToken: v.optional(v.string()),
});
const listSchema = v.object({
  MaxResults: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)), 100),
  NextToken: v.optional(v.pipe(v.string(), v.transform(Number), v.integer()), '0'),
  Filters: v.optional(
    v.array(v.object({ Key: v.literal('name'), Values: v.array(v.string()) })),
    [],
  ),
});

/** AWS Secrets Manager for the callers of the endpoint: text secrets, their versions and stages. */
export function secretsManagerService(
  store: SecretStore,
  meterOf: MeterOf,
  refusalOf: RefusalOf,
): AwsService {
  return async ({ caller, request, response }) => {
    const name = targetActionOf(request);
    meterOf(caller).call(caller, 'secretsmanager', name);
    const action = actions[name];
    const parameters = await readJsonBody(request);
    const refusal = refusalOf(caller, name, parameters);
    if (refusal !== undefined) {
      answerJson(response, serviceError('AccessDeniedException', refusal.message));
      return;
    }
    answerJson(response, action === undefined ? unknownAction(name) : action(parameters, store));
  };
}

const actions: Readonly<Record<string, Action>> = {
  GetSecretValue: withParameters(getValueSchema, (parameters, store) => {
    const secret = found(parameters.SecretId, store);
    if (isServiceError(secret)) return secret;
    const { VersionId, VersionStage = VersionId === undefined ? 'AWSCURRENT' : undefined } =
      parameters;
    const version = secret.versions.find(
      ({ versionId, stages }) =>
        (VersionId === undefined || versionId === VersionId) &&
        (VersionStage === undefined || stages.includes(VersionStage)),
    );
    return version === undefined
      ? notFound(`version ${VersionId ?? `with staging label ${VersionStage}`}`)
      : {
          ...identity(secret, version),
          SecretString: version.text,
          CreatedDate: version.createdMs / 1000,
        };
  }),
  PutSecretValue: withParameters(putValueSchema, (parameters, store) => {
    const secret = found(parameters.SecretId, store);
    if (isServiceError(secret)) return secret;
    const { SecretString, VersionStages, ClientRequestToken } = parameters;
    const known = secret.versions.find(({ versionId }) => versionId === ClientRequestToken);
    if (known !== undefined && known.text !== SecretString) return versionExists();
    return identity(
      secret,
      store.putLabelled(secret, SecretString, VersionStages, ClientRequestToken),
    );
  }),
  CreateSecret: withParameters(
    createSchema,
    ({ Name, SecretString, ClientRequestToken, Tags }, store) => {
      if (store.find(Name) !== undefined) return exists(`The secret ${Name} already exists.`);
      const secret = store.create(Name, SecretString, ClientRequestToken);
      store.tag(secret, Tags);
      return identity(secret, secret.versions[0]);
    },
  ),
  UpdateSecret: withParameters(updateSchema, (parameters, store) => {
    const secret = found(parameters.SecretId, store);
    if (isServiceError(secret)) return secret;
    const { SecretString, ClientRequestToken } = parameters;
    if (SecretString === undefined) return identity(secret, undefined);
    return identity(secret, store.put(secret, SecretString, ClientRequestToken));
  }),
  DescribeSecret: withParameters(secretIdSchema, ({ SecretId }, store) => {
    const secret = found(SecretId, store);
    if (isServiceError(secret)) return secret;
    const { SecretVersionsToStages, ...described } = descriptionOf(secret);
    return { ...described, VersionIdsToStages: SecretVersionsToStages };
  }),
  ListSecrets: withParameters(listSchema, ({ MaxResults, NextToken, Filters }, store) => {
    const wanted = store
      .all()
      .filter(({ name }) =>
        Filters.every(({ Values }) => Values.some((value) => hasPrefix(name, value))),
      );
    const end = NextToken + MaxResults;
    return {
      SecretList: wanted.slice(NextToken, end).map(descriptionOf),
      ...(end < wanted.length && { NextToken: String(end) }),
    };
  }),
  TagResource: withParameters(tagSchema, ({ SecretId, Tags }, store) => {
    const secret = found(SecretId, store);
    if (isServiceError(secret)) return secret;
    store.tag(secret, Tags);
    return {};
  }),
  DeleteSecret: withParameters(secretIdSchema, ({ SecretId }, store) => {
    const secret = found(SecretId, store);
    if (isServiceError(secret)) return secret;
    // Without the recovery window: a secret that can no longer be read is gone for its readers.
    store.remove(secret);
    return { ARN: secret.arn, Name: secret.name, DeletionDate: Date.now() / 1000 };
  }),
};

function withParameters<const Schema extends v.GenericSchema>(
  schema: Schema,
  action: (parameters: v.InferOutput<Schema>, store: SecretStore) => unknown,
): Action {
  return (parameters, store) => {
    const parsed = v.safeParse(schema, parameters);
    if (parsed.success) return action(parsed.output, store);
    // The names of the members alone: their values are secret.
    const members = parsed.issues.map((issue) => v.getDotPath(issue) ?? 'the body').join(', ');
    return serviceError('ValidationException', `Not as expected: ${members}.`);
  };
}

function found(secretId: string, store: SecretStore): Secret | ServiceError {
  return store.find(secretId) ?? notFound('secret');
}

function identity(secret: Secret, version: SecretVersion | undefined) {
  return {
    ARN: secret.arn,
    Name: secret.name,
    ...(version !== undefined && { VersionId: version.versionId, VersionStages: version.stages }),
  };
}

function descriptionOf(secret: Secret) {
  return {
    ARN: secret.arn,
    Name: secret.name,
    CreatedDate: secret.createdMs / 1000,
    Tags: [...secret.tags].map(([Key, Value]) => ({ Key, Value })),
    SecretVersionsToStages: Object.fromEntries(
      secret.versions.map(({ versionId, stages }) => [versionId, stages]),
    ),
  };
}

/** The `name` filter matches prefixes in any case; `!` in front negates (API reference, Filter). */
function hasPrefix(name: string, value: string): boolean {
  if (value.startsWith('!')) return !hasPrefix(name, value.slice(1));
  return name.toLowerCase().startsWith(value.toLowerCase());
}

function notFound(what: string): ServiceError {
  const message = `Secrets Manager can't find the specified ${what}.`;
  return serviceError('ResourceNotFoundException', message);
}

function exists(message: string): ServiceError {
  return serviceError('ResourceExistsException', message);
}

function versionExists(): ServiceError {
  return exists('A version with this ClientRequestToken and another value already exists.');
}

function unknownAction(name: string): ServiceError {
  return serviceError('UnknownOperationException', `The local endpoint does not run ${name}.`);
}
