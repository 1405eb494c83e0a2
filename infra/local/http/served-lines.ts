/** For the endpoint of this machine, which checks who calls by the id of the key alone. */
interface SecretsAddress {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretPrefix: string;
}

export interface Served {
  readonly url: string;
  readonly connection: string;
  readonly exportId: string;
  /** The body of a request for a write, as JSON; `undefined`: none is shown. */
  readonly exampleWrite: string | undefined;
  readonly secrets: SecretsAddress;
}

/** What a person may try while the HTTP API is up: every line works as it is printed. */
export function servedLines({ url, connection, exportId, exampleWrite, secrets }: Served): string {
  const base = `${url}/connections/${connection}`;
  const lines = [
    ['Start an export', `curl -i -X POST ${base}/exports`],
    ['All exports, newest first', `curl '${base}/exports?limit=5'`],
    ['One export', `curl ${base}/exports/${exportId}`],
    ['A live page', `curl '${base}/customers?page=1&per_page=2'`],
    ...(exampleWrite === undefined ? [] : writeLines(base, exampleWrite)),
  ] as const;
  const width = Math.max(...lines.map(([what]) => what.length));
  const shown = lines.map(([what, line]) => `  ${what.padEnd(width)}  ${line}\n`);
  return `\nThe HTTP API is up at ${url} for this machine only, and schedules run. Ctrl-C ends it.\n\n${shown.join('')}\n${addingLines(secrets)}\n`;
}

function writeLines(base: string, exampleWrite: string) {
  return [
    ['A write', `curl -i -X POST ${base}/writes -H 'Idempotency-Key: first' -d '${exampleWrite}'`],
    ['How it ended', `curl ${base}/writes/first`],
  ] as const;
}

/** The same command as on AWS, with the AWS CLI; the key is asked for and in no argument. */
function addingLines({ endpoint, region, accessKeyId, secretPrefix }: SecretsAddress): string {
  const access = `AWS_ACCESS_KEY_ID=${accessKeyId} AWS_SECRET_ACCESS_KEY=local AWS_REGION=${region}`;
  const create = `aws --endpoint-url ${endpoint} secretsmanager create-secret --name ${secretPrefix}second --secret-string file:///dev/stdin`;
  return `A secret makes a connection. This adds one named second; it needs the AWS CLI and asks for the key:\n\n  read -rsp 'API key: ' KEY && printf %s "$KEY" | ${access} ${create}; unset KEY\n`;
}
