import {
  customersClient,
  httpChain,
  jsonAnswer,
  outcomeProblem,
  problem,
} from 'customers-functions/lambda';
import * as v from 'valibot';

/** What this function needs of a customer; there may be more. */
const schema = v.object({
  // Beyond 2^53 JavaScript's numbers lose digits, so such an id comes as text.
  id: v.pipe(v.union([v.number(), v.string()]), v.transform(String)),
  name: v.pipe(v.string(), v.nonEmpty()),
});

/** `GET /customers/{id}/greeting`: made of a customer that was checked. */
export const handler = httpChain()
  .use(customersClient({ connection: 'demo' }))
  .handler(async ({ rawPath }, { customers, log }) => {
    const id = /\/customers\/([\w-]{1,64})\/greeting$/.exec(rawPath)?.[1];
    if (id === undefined) {
      const expected = 'id: expected 1 to 64 letters, digits, - and _.';
      return problem('invalid-request', expected, { field: 'id' });
    }
    const outcome = await customers.read({ resource: `customers/${id}`, schema });
    if (outcome.kind !== 'resource') return outcomeProblem(outcome);
    const { checked } = outcome;
    if (checked.kind === 'misfit') {
      // Where it does not fit and what was expected there: nothing of the customer.
      const { path, expected } = checked;
      log.error('Customer of another form', { path: path.join('.'), expected });
      return problem('internal', 'The API sent a customer of another form.');
    }
    return jsonAnswer(200, { id: checked.value.id, greeting: `Hello ${checked.value.name}` });
  });
