import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { COMMANDS } from '../../../../infra/command/commands.ts';
import { runCommand } from '../../../../infra/command/run-command.ts';
import { listen } from '../../../functions/aws/local-server.ts';
import { sampleSurroundings } from '../sample-surroundings.ts';

const before = { ...process.env };
let server: Server;
let url: string;
let hasHttpApi = false;
/** Which services were asked, in their order. */
let asked: string[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = await text(request);
    const { 'x-amz-target': target } = request.headers;
    const [service, answer] =
      target !== undefined
        ? ['dynamodb', '{"Items":[]}']
        : body.includes('DescribeStacks')
          ? ['cloudformation', describedStack()]
          : body.includes('GetCallerIdentity')
            ? ['sts', identity()]
            : ['http-api', '{"queued":[],"exports":[],"next":null}'];
    asked.push(service ?? '');
    const type = service === 'cloudformation' ? 'application/xml' : 'application/json';
    response.writeHead(200, { 'content-type': type }).end(answer);
  });
  url = (await listen(server)).url;
  Object.assign(process.env, {
    ...{ AWS_ENDPOINT_URL: url, AWS_REGION: 'eu-west-1' },
    ...{ AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'secret' },
  });
});
afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
  server.closeAllConnections();
  server.close();
});

function describedStack(): string {
  const outputs = {
    ...{
      IntegrationId: 'app-1',
      SecretPrefix: 'keys/',
      LedgerTableName: 'ledger',
      ExportBucketName: 'bucket',
    },
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

const identity = () =>
  JSON.stringify({
    GetCallerIdentityResponse: { GetCallerIdentityResult: { Arn: 'arn:aws:iam::1:user/a' } },
  });

test.each([
  [true, [], 'http-api'],
  [true, ['--by', 'services'], 'dynamodb'],
  [false, [], 'dynamodb'],
  [false, ['--by', 'services'], 'dynamodb'],
])('with an HTTP API %s and %j it asks %s', async (hasOne, by, expected) => {
  [hasHttpApi, asked] = [hasOne, []];
  const surroundings = sampleSurroundings({ environment: process.env });
  const code = await runCommand(COMMANDS, ['list', 'acme', ...by], surroundings);

  expect({ code, said: surroundings.said }).toEqual({
    ...{ code: 0, said: { stdout: 'There are no exports.\n', stderr: '' } },
  });
  const wanted = new Set(asked.filter((service) => service !== 'sts'));
  expect([...wanted]).toEqual(['cloudformation', expected]);
});

test('says that there is no HTTP API where one is asked for', async () => {
  hasHttpApi = false;
  const surroundings = sampleSurroundings({ environment: process.env });
  const args = ['list', 'acme', '--by', 'http-api'];

  expect(await runCommand(COMMANDS, args, surroundings)).toBe(1);
  expect(surroundings.said.stderr).toContain('Leave --by away to ask its services');
});
