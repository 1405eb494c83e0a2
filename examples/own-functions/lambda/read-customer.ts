import {
  customersClient,
  httpChain,
  jsonTextAnswer,
  outcomeProblem,
  problem,
} from 'customers-functions/lambda';

/** `GET /customers/{id}`: one customer, read live. */
export const handler = httpChain()
  .use(customersClient({ connection: 'demo' }))
  .handler(async ({ rawPath }, { customers, log }) => {
    const id = /\/customers\/([\w-]{1,64})$/.exec(rawPath)?.[1];
    if (id === undefined) {
      const expected = 'id: expected 1 to 64 letters, digits, - and _.';
      return problem('invalid-request', expected, { field: 'id' });
    }
    const outcome = await customers.read({ resource: `customers/${id}` });
    log.info('Customer read', { outcome: outcome.kind });
    // The JSON as the API sent it: no digit of a number is lost.
    return outcome.kind === 'resource'
      ? jsonTextAnswer(200, outcome.bodyText)
      : outcomeProblem(outcome);
  });
