import type { APIGatewayProxyEventV2WithJWTAuthorizer } from 'aws-lambda';
import {
  customersClient,
  httpChain,
  jsonAnswer,
  jsonTextAnswer,
  outcomeProblem,
  problem,
} from 'customers-functions/lambda';

type TokenEvent = APIGatewayProxyEventV2WithJWTAuthorizer;

/** `GET /customers?page=`: customers of the organization that the caller's token names. */
export const handler = httpChain<TokenEvent>()
  .before(({ event, context }) => {
    const { sub } = event.requestContext.authorizer.jwt.claims;
    if (sub === undefined) return problem('unknown-caller', 'Expected a token with the claim sub.');
    // Each line from here on says who asked, that of an error too.
    context.log = context.log.with({ caller: String(sub) });
    return undefined;
  })
  .use(customersClient({ connection: connectionOf }))
  .handler(async ({ queryStringParameters }, { customers, log }) => {
    const page = Number(queryStringParameters?.['page'] ?? 1);
    if (!Number.isSafeInteger(page) || page < 1) {
      return problem('invalid-request', 'page: expected a whole number from 1.', { field: 'page' });
    }
    const outcome = await customers.listPage({ page });
    log.info('Customers listed', { page, outcome: outcome.kind });
    switch (outcome.kind) {
      case 'page':
        return jsonTextAnswer(200, `{"customers":[${outcome.records.join(',')}]}`);
      case 'blocked':
      case 'throttled':
        return busy(outcome.retryAfterSeconds);
      default:
        return outcomeProblem(outcome);
    }
  });

/** The connections have the names of the organizations; without a name the answer is 404. */
function connectionOf({ requestContext }: TokenEvent): string | undefined {
  const { organization } = requestContext.authorizer.jwt.claims;
  return typeof organization === 'string' ? organization : undefined;
}

/** `outcomeProblem` would answer 429, but it is not this caller alone who asks too often. */
function busy(retryAfterSeconds: number) {
  const detail = `Ask again in ${retryAfterSeconds} s.`;
  return jsonAnswer(
    503,
    { title: 'The customers cannot be read yet', status: 503, detail },
    { 'Content-Type': 'application/problem+json', 'Retry-After': String(retryAfterSeconds) },
  );
}
