import { CUSTOMERS_LIST } from '../../../lib/exports/list-settings.ts';
import type { LocalStack } from '../local-stack.ts';

export interface Served {
  readonly url: string;
  readonly connection: string;
  /** Of each list the one that was run, in the order of their turns. */
  readonly exports: readonly { readonly list: string; readonly exportId: string }[];
  /** The body of a request for a write, as JSON; `undefined`: none is shown. */
  readonly exampleWrite: string | undefined;
  readonly endpoint: LocalStack['endpoint'];
  readonly secretPrefix: string;
}

/** What a person may try while the HTTP API is up: every line works as it is printed. */
export function servedLines(served: Served): string {
  const { url, connection, exports, exampleWrite } = served;
  const base = `${url}/connections/${connection}`;
  const lines = [
    ...exportLines(base, exports),
    ['All exports, newest first', `call '${base}/exports?limit=5'`],
    ...(exampleWrite === undefined ? [] : writeLines(base, exampleWrite)),
  ] as const;
  const width = Math.max(...lines.map(([what]) => what.length));
  const shown = lines.map(([what, line]) => `  ${what.padEnd(width)}  ${line}\n`);
  return `
The HTTP API is up at ${url} for this machine only, and schedules run. Ctrl-C ends it.
It takes signed requests, as on AWS. These credentials were made for this run and end with it:

${credentialLines(served.endpoint)}
Then, in the same terminal:

${shown.join('')}
${addingLines(served)}
`;
}

/** Of customers without their name, as the API has it too; of each other list with it. */
function exportLines(base: string, exports: Served['exports']) {
  return exports.flatMap(({ list, exportId }) => {
    const isCustomers = list === CUSTOMERS_LIST;
    const of = isCustomers ? '' : ` of ${list}`;
    const body = isCustomers ? '' : ` -d '${JSON.stringify({ list })}'`;
    const live = isCustomers ? 'customers' : `lists/${list}`;
    return [
      [`Start an export${of}`, `call -i -X POST ${base}/exports${body}`],
      [`One export${of}`, `call ${base}/exports/${exportId}`],
      [`URLs of its files${of}`, `call ${base}/exports/${exportId}/files`],
      [`A live page${of}`, `call '${base}/${live}?page=1&per_page=2'`],
    ] as const;
  });
}

function writeLines(base: string, exampleWrite: string) {
  return [
    ['A write', `call -i -X POST ${base}/writes -H 'Idempotency-Key: first' -d '${exampleWrite}'`],
    ['How it ended', `call ${base}/writes/first`],
  ] as const;
}

/** The token is emptied: one of another session would be sent along. */
function credentialLines({ region, credentials }: Served['endpoint']): string {
  const { accessKeyId, secretAccessKey } = credentials;
  return `  export AWS_REGION=${region} AWS_ACCESS_KEY_ID=${accessKeyId} AWS_SECRET_ACCESS_KEY=${secretAccessKey} AWS_SESSION_TOKEN=
  call() { curl --aws-sigv4 "aws:amz:$AWS_REGION:execute-api" --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" "$@"; }
`;
}

/** The same command as on AWS, with the AWS CLI; the key is asked for and in no argument. */
function addingLines({ endpoint: { endpoint, region }, secretPrefix }: Served): string {
  // Version 1 of the AWS CLI does not read AWS_REGION.
  const create = `aws --region ${region} --endpoint-url ${endpoint} secretsmanager create-secret --name ${secretPrefix}second --secret-string file:///dev/stdin`;
  return `A secret makes a connection. This adds one named second; it needs the AWS CLI and asks for the key:\n\n  read -rsp 'API key: ' KEY && printf %s "$KEY" | ${create}; unset KEY`;
}
