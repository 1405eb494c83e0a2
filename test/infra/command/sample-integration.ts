import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { COMMANDS } from '../../../infra/command/commands.ts';
import { runCommand } from '../../../infra/command/run-command.ts';
import { listen } from '../../functions/aws/local-server.ts';
import { type SampleSurroundings, sampleSurroundings } from './sample-surroundings.ts';

export const EXPORT_ID = 'request-0123456789abcdef0123';

/** One export, as the HTTP API shows it. */
export const SHOWN = {
  list: 'customers',
  exportId: EXPORT_ID,
  status: 'completed',
  startedAt: '2026-05-01T00:00:00Z',
  updatedAt: '2026-05-01T00:00:00Z',
  progress: { pages: 1, customers: 2, totalCustomers: null, percent: null, expectedEndAt: null },
  notBefore: null,
  waits: { throttles: 0, seconds: 0 },
  parts: { count: 1, storedBytes: 1 },
  completeness: null,
  changes: null,
  reason: null,
};

interface Question {
  readonly target: string;
  readonly body: string;
}

export type SampleIntegration = Awaited<ReturnType<typeof startSampleIntegration>>;

/** A deployed integration that the commands of this process find: its services, and the parts of one export. */
export async function startSampleIntegration() {
  const before = { ...process.env };
  const asked: string[] = [];
  const state = {
    asked,
    /** Uncompressed. */
    parts: [] as readonly string[],
    /** That the files are of. */
    list: 'customers',
    changesPage: (): unknown => ({}),
    shown: (): unknown => SHOWN,
    secret: (_: Question): readonly [number, unknown] => [200, { VersionId: 'v2' }],
  };
  const filesOf = (url: string) =>
    state.parts.map((part, index) => {
      const body = gzipSync(part);
      return {
        ...{ kind: 'part', key: `exports/part-${index}.ndjson.gz`, bytes: body.length },
        records: part.split('\n').length - 1,
        sha256: createHash('sha256').update(body).digest('hex'),
        url: `${url}/part/${index}`,
      };
    });
  const answerTo = ({ target, body }: Question, url: string): readonly [number, unknown] => {
    if (target.includes('/part/')) {
      return [200, gzipSync(state.parts[Number(target.split('/').at(-1))] ?? '')];
    }
    if (target.startsWith('secretsmanager')) return state.secret({ target, body });
    if (target.includes('/files')) {
      return [200, { list: state.list, files: filesOf(url), next: null }];
    }
    if (target.includes('/changes')) return [200, state.changesPage()];
    return [200, state.shown()];
  };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { url } = listening;
    if (body.includes('DescribeStacks')) return void response.end(describedStack(url));
    const target = String(request.headers['x-amz-target'] ?? request.url);
    asked.push(target);
    const [status, answer] = answerTo({ target, body }, url);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(Buffer.isBuffer(answer) ? answer : JSON.stringify(answer));
  });
  const listening = await listen(server);
  Object.assign(process.env, {
    ...{ AWS_ENDPOINT_URL: listening.url, AWS_REGION: 'eu-west-1' },
    ...{ AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'secret' },
  });
  return Object.assign(state, {
    run: async (
      args: readonly string[],
      surroundings: SampleSurroundings = sampleSurroundings(),
    ) => ({
      exitCode: await runCommand(COMMANDS, args, surroundings),
      ...surroundings.said,
    }),
    stop: () => {
      for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
      Object.assign(process.env, before);
      server.closeAllConnections();
      server.close();
    },
  });
}

/** What CloudFormation says of the stack of an integration whose services are all at one address. */
export function describedStack(url: string, hasHttpApi = true): string {
  const outputs = {
    ...{ IntegrationId: 'app-1', SecretPrefix: 'keys/' },
    ...{ LedgerTableName: 'ledger', ExportBucketName: 'bucket' },
    ...{ ExportQueueUrl: `${url}/1/q`, StartExportFunctionName: 'start' },
    ...(hasHttpApi && { HttpApiUrl: `${url}/api` }),
  };
  const members = Object.entries(outputs).map(
    ([name, value]) =>
      `<member><OutputKey>${name}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  const about = '<StackName>App</StackName><StackStatus>CREATE_COMPLETE</StackStatus>';
  const stack = `<member>${about}<Outputs>${members.join('')}</Outputs></member>`;
  return `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks>${stack}</Stacks></DescribeStacksResult></DescribeStacksResponse>`;
}
