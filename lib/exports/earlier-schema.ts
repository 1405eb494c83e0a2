import * as v from 'valibot';
import { parseJson } from '../json/json-value.ts';
import { type ListSchema, parseListSchema } from './list-schema.ts';
import type { Store } from './ports.ts';
import { latestSchemaKey } from './store-objects.ts';
import type { StoredManifest } from './stored-manifest.ts';

const LatestSchema = v.object({ schemaKey: v.string() });

/** What names the newest report of a list; `undefined` where nothing does. */
export function parseLatestSchema(
  text: string | undefined,
): { readonly schemaKey: string } | undefined {
  const pointer = v.safeParse(LatestSchema, parseJson(text));
  return pointer.success ? pointer.output : undefined;
}

/** More reports without records or of exports that ran at the same time do not follow each other. */
const MAX_REPORTS = 100;

interface EarlierSchema {
  readonly schema: ListSchema;
  readonly schemaKey: string;
}

/**
 * The report of the last export before this one that had records: from the newest one of the list back, along the
 * reports that each was compared with. So it is the same also when reports are made in another order than exports.
 *
 * @returns `undefined` when there is none, when it has been deleted, or when it is of another organization, with
 * which this export has nothing in common.
 */
export async function earlierSchema(
  store: Pick<Store, 'read'>,
  { connection, list, organizationId, startedAt }: StoredManifest,
): Promise<EarlierSchema | undefined> {
  const latest = await store.read(latestSchemaKey(connection, list));
  let schemaKey = parseLatestSchema(latest?.text)?.schemaKey;
  for (let reports = 0; schemaKey !== undefined && reports < MAX_REPORTS; reports++) {
    const schema = parseListSchema((await store.read(schemaKey))?.text);
    if (schema === undefined || schema.organizationId !== organizationId) return undefined;
    const isEarlier = Date.parse(schema.startedAt) < Date.parse(startedAt);
    if (isEarlier && schema.records > 0) return { schema, schemaKey };
    schemaKey = schema.since?.schemaKey;
  }
  return undefined;
}
