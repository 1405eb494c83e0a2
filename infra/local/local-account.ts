import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engines, startEngines } from './engines.ts';
import { GivenNames } from './given-names.ts';
import type { Denial } from './iam/access.ts';
import type { IamRequest } from './iam/request.ts';
import type { LogLine } from './lambda/function-process.ts';
import { makeTable, tableSchema } from './resources/dynamo-db-table.ts';
import { makeBucket } from './resources/s3-bucket.ts';
import { parseBorder } from './template/parse-border.ts';

export interface LocalAccountOptions {
  /** @default '000000000000' */
  readonly accountId?: string | undefined;
  /** @default 'us-east-1' */
  readonly region?: string | undefined;
  /** Added to every function's environment, like `NODE_EXTRA_CA_CERTS`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What is there before any stack, like a bucket of your own. @default nothing but the default bus */
  readonly existing?: ExistingResources;
  /** Gets every line that a function writes. @default lines are dropped */
  readonly onLog?: (line: LogLine) => void;
  /** Gets every call that is refused, at once. @default they are only kept in `denied` */
  readonly onDenied?: (denial: Denial) => void;
  /** Called for every right that a call of a caller needed and had; {@link OPERATOR} is the person. */
  readonly onAllowed?: (caller: string, request: IamRequest) => void;
  /** Gets every process that is started for a function. @default nobody is told */
  readonly onProcess?: (process: ChildProcess) => void;
}

const DEFAULT_ACCOUNT_ID = '000000000000';
const DEFAULT_REGION = 'us-east-1';

/** An account and region on this machine: one endpoint, and the stacks that are deployed there. */
export class LocalAccount {
  readonly engines: Engines;
  /** For files of this run. */
  readonly workDirectory: string;
  readonly names = new GivenNames();
  readonly #deployments = new Map<string, number>();

  constructor(engines: Engines, workDirectory: string) {
    this.engines = engines;
    this.workDirectory = workDirectory;
  }

  /**
   * Begins the names of what a deployment makes. CloudFormation ends each name at random, so that nothing of an earlier
   * stack of the same name is in the way; here deployments are counted.
   */
  namePrefixOf(stackName: string): string {
    const count = (this.#deployments.get(stackName) ?? 0) + 1;
    this.#deployments.set(stackName, count);
    return count === 1 ? stackName : `${stackName}-${count}`;
  }

  /** Ends every process and connection. */
  async stop(): Promise<void> {
    await this.engines.stop();
    await rm(this.workDirectory, { recursive: true, force: true });
  }
}

/** @throws SettingError naming what of `existing` cannot be made. Nothing is left running. */
export async function startLocalAccount(options: LocalAccountOptions = {}): Promise<LocalAccount> {
  const workDirectory = await mkdtemp(join(tmpdir(), 'local-stack-'));
  const engines = await startEngines({
    place: {
      accountId: options.accountId ?? DEFAULT_ACCOUNT_ID,
      region: options.region ?? DEFAULT_REGION,
    },
    workDirectory,
    functionEnvironment: options.environment ?? {},
    onLog: options.onLog ?? (() => {}),
    onDenied: options.onDenied ?? (() => {}),
    onAllowed: options.onAllowed,
    onProcess: options.onProcess ?? (() => {}),
  });
  const account = new LocalAccount(engines, workDirectory);
  try {
    await makeExisting(options.existing ?? {}, engines);
    return account;
  } catch (error) {
    await account.stop();
    throw error;
  }
}

/** What a stack finds in its account: it is named in the template and made by somebody else. */
interface ExistingResources {
  readonly buckets?: readonly string[];
  /** By name: the properties of an `AWS::DynamoDB::Table`. */
  readonly tables?: Readonly<Record<string, object>>;
  readonly eventBuses?: readonly string[];
  /** Texts by name. The stack gets no event of them. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/** Makes what is there before the stack. @throws SettingError naming what cannot be made. */
async function makeExisting(
  { buckets = [], tables = {}, eventBuses = [], secrets = {} }: ExistingResources,
  engines: Engines,
): Promise<void> {
  for (const name of buckets) await makeBucket(name, engines.fauxqs);
  for (const [name, properties] of Object.entries(tables)) {
    const parsed = parseBorder(tableSchema, properties, `existing.tables.${name}`);
    await makeTable(name, parsed, engines.tables);
  }
  for (const name of eventBuses) engines.buses.addBus(name);
  for (const [name, text] of Object.entries(secrets)) engines.secrets.put(name, text);
}
