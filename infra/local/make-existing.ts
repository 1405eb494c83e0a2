import type { Engines } from './engines.ts';
import { makeTable, tableSchema } from './resources/dynamo-db-table.ts';
import { makeBucket } from './resources/s3-bucket.ts';
import { parseBorder } from './template/parse-border.ts';

/** What a stack finds in its account: it is named in the template and made by somebody else. */
export interface ExistingResources {
  /** Names. */
  readonly buckets?: readonly string[];
  /** By name: the properties of an `AWS::DynamoDB::Table`. */
  readonly tables?: Readonly<Record<string, object>>;
  /** Names. */
  readonly eventBuses?: readonly string[];
  /** Texts by name. The stack gets no event of them. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/**
 * Makes what is there before the stack.
 *
 * @throws SettingError naming what cannot be made.
 */
export async function makeExisting(
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
