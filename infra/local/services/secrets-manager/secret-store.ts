import { randomUUID } from 'node:crypto';

const CURRENT = 'AWSCURRENT';
const PREVIOUS = 'AWSPREVIOUS';

/** One version of a secret. */
export interface SecretVersion {
  readonly versionId: string;
  readonly text: string;
  readonly createdMs: number;
  readonly stages: readonly string[];
}

export interface Secret {
  readonly arn: string;
  readonly name: string;
  readonly createdMs: number;
  readonly tags: ReadonlyMap<string, string>;
  /** Oldest first; only versions that have a stage. */
  readonly versions: readonly SecretVersion[];
}

/** Told when `AWSCURRENT` moved to a new version of an existing secret. */
export type CurrentMoved = (secret: Secret, versionId: string) => void;

/** Secrets in memory, with versions and stages as Secrets Manager keeps them. */
export interface SecretStore {
  /** By name or ARN. */
  find(nameOrArn: string): Secret | undefined;
  /** All secrets in the order they were made. */
  all(): readonly Secret[];
  create(name: string, text: string | undefined, versionId?: string): Secret;
  /** Adds a version and makes it current. The same version again changes nothing. */
  put(secret: Secret, text: string, versionId?: string): SecretVersion;
  /** Other versions than the current one can be labelled, too. */
  putLabelled(
    secret: Secret,
    text: string,
    stages: readonly string[],
    versionId?: string,
  ): SecretVersion;
  /** Sets the value of these tags, and keeps the others. */
  tag(secret: Secret, tags: readonly (readonly [key: string, value: string])[]): void;
  remove(secret: Secret): void;
}

export function createSecretStore(
  arnOf: (name: string) => string,
  currentMoved: CurrentMoved,
): SecretStore {
  const secrets = new Map<string, Secret>();

  const store: SecretStore = {
    find: (nameOrArn) =>
      secrets.get(nameOrArn) ?? [...secrets.values()].find(({ arn }) => arn === nameOrArn),
    all: () => [...secrets.values()],
    create(name, text, versionId) {
      const arn = arnOf(name);
      const secret: Secret = {
        arn,
        name,
        createdMs: Date.now(),
        tags: new Map(),
        versions: [],
      };
      secrets.set(name, secret);
      if (text !== undefined) store.put(secret, text, versionId);
      return secrets.get(name) ?? secret;
    },
    put: (secret, text, versionId) => store.putLabelled(secret, text, [CURRENT], versionId),
    putLabelled(secret, text, stages, versionId = randomUUID()) {
      const before = secrets.get(secret.name) ?? secret;
      const same = before.versions.find((version) => version.versionId === versionId);
      if (same !== undefined) return same;
      const added: SecretVersion = { versionId, text, createdMs: Date.now(), stages };
      const after = { ...before, versions: withVersion(before.versions, added) };
      secrets.set(secret.name, after);
      if (stages.includes(CURRENT)) currentMoved(after, versionId);
      return added;
    },
    tag: (secret, tags) => {
      const before = secrets.get(secret.name) ?? secret;
      secrets.set(secret.name, { ...before, tags: new Map([...before.tags, ...tags]) });
    },
    remove: ({ name }) => {
      secrets.delete(name);
    },
  };
  return store;
}

/** A stage belongs to one version; the version that loses `AWSCURRENT` becomes `AWSPREVIOUS`. */
function withVersion(
  versions: readonly SecretVersion[],
  added: SecretVersion,
): readonly SecretVersion[] {
  const moves = added.stages.includes(CURRENT);
  return [
    ...versions.map((version) => {
      const wasCurrent = moves && version.stages.includes(CURRENT);
      const kept = version.stages.filter(
        (stage) => !added.stages.includes(stage) && !(moves && stage === PREVIOUS),
      );
      return { ...version, stages: wasCurrent ? [...kept, PREVIOUS] : kept };
    }),
    added,
  ].filter(({ stages }) => stages.length > 0);
}
