import { Stack } from 'aws-cdk-lib';
import { type Attribute, CfnGlobalTable, CfnTable } from 'aws-cdk-lib/aws-dynamodb';
import type { IConstruct } from 'constructs';
import * as v from 'valibot';
import { SettingError } from '../../../lib/errors.ts';

export interface WantedKeys {
  /** @default - the table itself */
  readonly index: string | undefined;
  /** The partition key, then the sort key. */
  readonly keys: readonly Attribute[];
  /** Whether its items are read from the index itself, so that it must hold all of their attributes. @default false */
  readonly hasAll?: boolean;
}

const KeySchema = v.array(
  v.object({ attributeName: v.string(), keyType: v.picklist(['HASH', 'RANGE']) }),
);
const ResourceSchema = v.object({
  keySchema: v.optional(KeySchema, []),
  attributeDefinitions: v.array(v.object({ attributeName: v.string(), attributeType: v.string() })),
  globalSecondaryIndexes: v.optional(
    v.array(
      v.object({
        indexName: v.string(),
        keySchema: KeySchema,
        projection: v.object({ projectionType: v.optional(v.string()) }),
      }),
    ),
    [],
  ),
});
type Resource = v.InferOutput<typeof ResourceSchema>;

/**
 * Compares the keys of a table of the app, `Table` or `TableV2`, with those that are wanted. The keys of an
 * imported table are unknown here: docs/your-own-resources.md lists the required ones.
 *
 * @throws SettingError when they differ.
 */
export function checkTableKeys(table: IConstruct, wanted: readonly WantedKeys[]): void {
  const resource = resourceOf(table);
  if (resource === undefined) return;
  for (const { index, keys, hasAll = false } of wanted) {
    const place = index === undefined ? 'its keys' : `the keys of its index ${index}`;
    const expected = `expected ${keysText(keys)} as ${place}`;
    const found = index === undefined ? resource : indexOf(resource, index);
    if (found === undefined) throw new SettingError('table', `${expected}, got no such index`);
    const got = keysText(schemaKeys(found.keySchema, resource));
    if (got !== keysText(keys)) throw new SettingError('table', `${expected}, got ${got}`);
    const projected = 'projection' in found ? found.projection.projectionType : 'ALL';
    if (hasAll && projected !== 'ALL') {
      const problem = `expected the projection ALL of its index ${index}, got ${projected}`;
      throw new SettingError('table', problem);
    }
  }
}

/** What the CDK knows of the table in CloudFormation's words, which are the same for both constructs. */
function resourceOf(table: IConstruct): Resource | undefined {
  const { defaultChild } = table.node;
  if (!(defaultChild instanceof CfnTable || defaultChild instanceof CfnGlobalTable)) return;
  const { keySchema, attributeDefinitions, globalSecondaryIndexes } = defaultChild;
  const parts = { keySchema, attributeDefinitions, globalSecondaryIndexes };
  return v.parse(ResourceSchema, Stack.of(table).resolve(parts));
}

function indexOf({ globalSecondaryIndexes }: Resource, index: string) {
  return globalSecondaryIndexes.find(({ indexName }) => indexName === index);
}

function schemaKeys(schema: Resource['keySchema'], { attributeDefinitions }: Resource) {
  return schema.map(({ attributeName: name }) => {
    const known = attributeDefinitions.find(({ attributeName }) => attributeName === name);
    return { name, type: known?.attributeType ?? 'unknown' };
  });
}

function keysText(keys: readonly { readonly name: string; readonly type: string }[]): string {
  return keys.map(({ name, type }) => `${name} (${type})`).join(', ');
}
