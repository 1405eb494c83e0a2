import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { COMMANDS } from '../../../../infra/command/commands.ts';
import { runCommand } from '../../../../infra/command/run-command.ts';
import { listen } from '../../../functions/aws/local-server.ts';
import { describedStack } from '../sample-integration.ts';
import { sampleSurroundings } from '../sample-surroundings.ts';

const before = { ...process.env };
let server: Server;
let url: string;
let hasHttpApi = false;
const NO_STACK =
  '<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id nope does not exist</Message></Error></ErrorResponse>';
/** Which services were asked, in their order. */
let asked: string[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = await text(request);
    const { 'x-amz-target': target } = request.headers;
    if (body.includes('StackName=nope')) return void response.writeHead(400).end(NO_STACK);
    const [service, answer] =
      target !== undefined
        ? ['dynamodb', '{"Items":[]}']
        : body.includes('DescribeStacks')
          ? ['cloudformation', describedStack(url, hasHttpApi)]
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

test.each([
  [
    ['--stack', 'nope'],
    'AWS: Stack with id nope does not exist. Check --stack, --region and --profile.',
  ],
  [
    ['--region', 'eu central'],
    'AWS: Region not accepted: region="eu central" is not a valid hostname component. Set AWS_REGION, or add --region.',
  ],
])('says in whole sentences what AWS says to %j', async (args, said) => {
  const surroundings = sampleSurroundings({ environment: process.env });

  expect(await runCommand(COMMANDS, ['list', 'acme', ...args], surroundings)).toBe(1);
  expect(surroundings.said.stderr).toBe(`${said}\n`);
});

test('says what to check where AWS is not reached, or nobody has signed in', async () => {
  const listed = async (changed: NodeJS.ProcessEnv, ...args: string[]) => {
    const kept = { ...process.env };
    for (const [name, value] of Object.entries(changed)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    const surroundings = sampleSurroundings({ environment: process.env });
    await runCommand(COMMANDS, ['list', 'acme', ...args], surroundings);
    for (const name of Object.keys(process.env)) if (!(name in kept)) delete process.env[name];
    Object.assign(process.env, kept);
    return surroundings.said.stderr;
  };
  const gone = createServer();
  const { url: refused } = await listen(gone);
  gone.close();
  await once(gone, 'close');
  const noKeys = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined };
  const noFiles = { AWS_CONFIG_FILE: '/nowhere', AWS_SHARED_CREDENTIALS_FILE: '/nowhere' };

  expect(await listed({ AWS_ENDPOINT_URL: refused, AWS_MAX_ATTEMPTS: '1' })).toMatch(
    /^AWS: .*ECONNREFUSED.* Check the network, and the region: AWS_REGION or --region\.\n$/,
  );
  expect(await listed({ ...noKeys, ...noFiles }, '--profile', 'nobody')).toMatch(
    /^AWS: .* Sign in, or add --profile with the name of one that exists\.\n$/,
  );
});

test('says that there is no region where none is set', async () => {
  const { AWS_REGION } = process.env;
  process.env['AWS_REGION'] = '';
  const surroundings = sampleSurroundings({ environment: process.env });
  const code = await runCommand(COMMANDS, ['list', 'acme'], surroundings);
  Object.assign(process.env, { AWS_REGION });

  expect(code).toBe(1);
  expect(surroundings.said.stderr).toBe(
    'AWS: no region is set. Set AWS_REGION, or add --region.\n',
  );
});

test('new-key gives the key to no address at which others could read it on the way', async () => {
  process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] = 'http://secrets.invalid:4566';
  const surroundings = sampleSurroundings({ environment: process.env });
  surroundings.stdin.end('CANARY-key-4711');
  const code = await runCommand(COMMANDS, ['new-key', 'acme'], surroundings);
  delete process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'];

  expect(code).toBe(1);
  expect(surroundings.said.stderr).toContain('http://secrets.invalid is no address with https');
});

test('finds no stack by an address at which others could read the answer on the way', async () => {
  process.env['AWS_ENDPOINT_URL_CLOUDFORMATION'] = 'http://stacks.invalid:4566';
  const surroundings = sampleSurroundings({ environment: process.env });
  const code = await runCommand(COMMANDS, ['list', 'acme'], surroundings);
  delete process.env['AWS_ENDPOINT_URL_CLOUDFORMATION'];

  expect(code).toBe(1);
  expect(surroundings.said.stderr).toContain('http://stacks.invalid is no address with https');
});
