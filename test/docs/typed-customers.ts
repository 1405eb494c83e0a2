/** A user's code: what TypeScript infers of records, by three libraries. It fails to compile where it infers otherwise. */
export const TYPED_CUSTOMERS = `
import { type } from 'arktype';
import {
  type CheckedRecord,
  createCustomersClient,
  type Misfit,
  type StandardSchemaV1,
  type TypedRecord,
} from 'customers-functions';
import { customersClient, httpChain, jsonAnswer, outcomeProblem } from 'customers-functions/lambda';
import * as v from 'valibot';
import * as z from 'zod';

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function typesAreEqual<A, B>(_equal: Equal<A, B>): void {}

const client = createCustomersClient({ baseUrl: 'https://api.example.com', key: 'a-key' });

const valibot = v.object({
  id: v.pipe(v.union([v.number(), v.string()]), v.transform(String)),
  tags: v.array(v.string()),
});
const zod = z.object({ id: z.coerce.string(), tags: z.array(z.string()) });
const arktype = type({ id: type('string | number').pipe((id) => String(id)), tags: 'string[]' });
const asynchronous = v.pipeAsync(valibot, v.checkAsync(async ({ id }) => id !== ''));

for await (const customer of client.customers({ schema: valibot, maxWaitSeconds: 60 })) {
  typesAreEqual<typeof customer, CheckedRecord<{ id: string; tags: string[] }>>(true);
  if (customer.kind === 'misfit') {
    typesAreEqual<typeof customer, Misfit>(true);
    const [first]: readonly (string | number)[] = customer.path;
    const texts: string[] = [customer.expected, customer.text, String(first)];
    // @ts-expect-error: what does not fit has no value.
    texts.push(customer.value);
    continue;
  }
  typesAreEqual<typeof customer, TypedRecord<{ id: string; tags: string[] }>>(true);
}
for await (const customer of client.customers({ schema: zod })) {
  if (customer.kind === 'record')
    typesAreEqual<typeof customer.value, { id: string; tags: string[] }>(true);
}
for await (const customer of client.list('invoices').records({ schema: arktype })) {
  if (customer.kind === 'record')
    typesAreEqual<typeof customer.value, { id: string; tags: string[] }>(true);
}
for await (const page of client.pages({ schema: asynchronous, signal: undefined })) {
  for (const each of page.checked)
    if (each.kind === 'record') typesAreEqual<typeof each.value.tags, string[]>(true);
}

for await (const customer of client.customers()) {
  typesAreEqual<typeof customer, TypedRecord<unknown>>(true);
  // @ts-expect-error: nobody knows what it is.
  customer.value.id;
}
for await (const page of client.pages({ maxWaitSeconds: 1 })) {
  // @ts-expect-error: nothing was checked.
  page.checked;
}

// @ts-expect-error: this is no schema.
client.customers({ schema: { type: 'object' } });

const page = await client.listPage(1, { perPage: 100, schema: zod });
if (page.kind === 'page') {
  typesAreEqual<(typeof page.checked)[number], CheckedRecord<z.infer<typeof zod>>>(true);
}
const resource = await client.read({ resource: 'customers/1', schema: arktype });
if (resource.kind === 'resource') {
  typesAreEqual<typeof resource.checked, CheckedRecord<typeof arktype.infer>>(true);
}

/** A function of the user's own that takes any schema. */
export async function all<Output>(schema: StandardSchemaV1<unknown, Output>): Promise<Output[]> {
  const values: Output[] = [];
  for await (const customer of client.customers({ schema })) {
    if (customer.kind === 'record') values.push(customer.value);
  }
  return values;
}
typesAreEqual<Awaited<ReturnType<typeof ofZod>>, { id: string; tags: string[] }[]>(true);
const ofZod = () => all(zod);

export const handler = httpChain()
  .use(customersClient({ connection: 'demo' }))
  .handler(async (_event, { customers }) => {
    const outcome = await customers.listPage({ page: 1, list: 'invoices', schema: valibot });
    if (outcome.kind !== 'page') return outcomeProblem(outcome);
    const one = await customers.read({ resource: 'customers/1', schema: zod });
    if (one.kind !== 'resource') return outcomeProblem(one);
    typesAreEqual<typeof one.checked, CheckedRecord<{ id: string; tags: string[] }>>(true);
    const ids = outcome.checked.flatMap((each) => (each.kind === 'record' ? [each.value.id] : []));
    typesAreEqual<typeof ids, string[]>(true);
    return jsonAnswer(200, { ids });
  });
`;
