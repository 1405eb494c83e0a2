/** For the endpoint of this machine, which checks who calls by the id of the key alone. */
export interface SecretsAddress {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretPrefix: string;
}

/** What a person may try while the HTTP API is up: every line works as it is printed. */
export function servedLines(
  url: string,
  connection: string,
  exportId: string,
  secrets: SecretsAddress,
): string {
  const base = `${url}/connections/${connection}`;
  const lines = [
    ['Start an export', `curl -i -X POST ${base}/exports`],
    ['All exports, newest first', `curl '${base}/exports?limit=5'`],
    ['One export', `curl ${base}/exports/${exportId}`],
    ['A live page', `curl '${base}/customers?page=1&per_page=2'`],
  ] as const;
  const width = Math.max(...lines.map(([what]) => what.length));
  const shown = lines.map(([what, line]) => `  ${what.padEnd(width)}  ${line}\n`);
  return `\nThe HTTP API is up at ${url} for this machine only, and schedules run. Ctrl-C ends it.\n\n${shown.join('')}\n${addingLines(secrets)}\n`;
}

/** The same command as on AWS, with the AWS CLI; the key is asked for and in no argument. */
function addingLines({ endpoint, region, accessKeyId, secretPrefix }: SecretsAddress): string {
  const access = `AWS_ACCESS_KEY_ID=${accessKeyId} AWS_SECRET_ACCESS_KEY=local AWS_REGION=${region}`;
  const create = `aws --endpoint-url ${endpoint} secretsmanager create-secret --name ${secretPrefix}second --secret-string file:///dev/stdin`;
  return `A secret makes a connection. This adds one named second; it needs the AWS CLI and asks for the key:\n\n  read -rsp 'API key: ' KEY && printf %s "$KEY" | ${access} ${create}; unset KEY\n`;
}
