import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EngineOptions, type Engines, startEngines } from './engines.ts';
import { GivenNames } from './given-names.ts';
import { makeTable, tableSchema } from './resources/dynamo-db-table.ts';
import { makeBucket } from './resources/s3-bucket.ts';
import { parseBorder } from './template/parse-border.ts';

export interface LocalAccountOptions extends EngineOptions {
  /** What is there before any stack, like a bucket of your own. @default nothing but the default bus */
  readonly existing?: ExistingResources;
}

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
  const engines = await startEngines(options, workDirectory);
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
