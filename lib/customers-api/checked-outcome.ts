import type { ListOutcome, Page, ReadOutcome, Resource } from './outcome.ts';
import type { StandardSchemaV1 } from './standard-schema.ts';
import { type CheckedRecord, checkedRecord } from './typed-record.ts';

/** A page that was asked for with a schema. */
export interface CheckedPage<Output> extends Page {
  /** Of each record, in the order of `records`, its value or what does not fit. */
  readonly checked: readonly CheckedRecord<Output>[];
}

export type CheckedListOutcome<Output> = CheckedPage<Output> | Exclude<ListOutcome, Page>;

/** A resource that was asked for with a schema. */
export interface CheckedResource<Output> extends Resource {
  /** The value of the whole body, or what does not fit. */
  readonly checked: CheckedRecord<Output>;
}

export type CheckedReadOutcome<Output> = CheckedResource<Output> | Exclude<ReadOutcome, Resource>;

export async function checkedResource<Output>(
  resource: Resource,
  schema: StandardSchemaV1<unknown, Output>,
): Promise<CheckedResource<Output>> {
  const record = { text: resource.bodyText, idKey: resource.idKey };
  return { ...resource, checked: await checkedRecord(record, schema) };
}

/** Reads the records of a page with a schema, one after the other: an asynchronous one may ask somebody. */
export async function checkedPage<Output>(
  page: Page,
  schema: StandardSchemaV1<unknown, Output>,
): Promise<CheckedPage<Output>> {
  const { idKey } = page;
  const checked: CheckedRecord<Output>[] = [];
  for (const text of page.records) checked.push(await checkedRecord({ text, idKey }, schema));
  // Not a copy: some members of a page are only made when they are asked for.
  return Object.assign(page, { checked });
}
