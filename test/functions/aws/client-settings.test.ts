import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import {
  clientSettings,
  presigningClientSettings,
  refusePlainEndpoints,
  storeClientSettings,
} from '../../../functions/aws/client-settings.ts';
import { ENVIRONMENT } from '../../../functions/services/environment.ts';

const said = (name: string) => new RegExp(`^${name}: without https: .* Remove it\\.$`);

test.each([
  ['AWS_ENDPOINT_URL_SECRETS_MANAGER', 'http://secrets.example.com'],
  ['AWS_ENDPOINT_URL_S3', 'HTTP://127.0.0.1.example.com'],
])('refuses an address of AWS at which others could read keys and records: %s=%s', (name, url) => {
  expect(() => refusePlainEndpoints({ [name]: url })).toThrow(said(name));
});

test.each([
  'http://127.0.0.1:4566',
  'http://localhost:4566',
  'http://[::1]:1',
  'https://10.0.0.7',
  '',
])('takes an address of AWS on this machine, or with https: %j', (url) => {
  expect(() =>
    refusePlainEndpoints({ AWS_ENDPOINT_URL: url, OTHER_URL: 'http://a' }),
  ).not.toThrow();
});

const FUNCTIONS = join(import.meta.dirname, '../../../functions');
const FILES = readdirSync(FUNCTIONS).filter((name) => /\.ts$/.test(name) && name !== 'index.ts');
const unset = { ...process.env };
afterEach(() => {
  process.env = { ...unset };
});

test.each([
  ['any service', clientSettings],
  ['S3', storeClientSettings],
  ['S3 whose URLs are signed', presigningClientSettings],
])('gives no settings for a client of %s that would be heard by others', (_, settings) => {
  process.env['AWS_ENDPOINT_URL'] = 'http://10.0.0.9:4566';
  expect(settings).toThrow(said('AWS_ENDPOINT_URL'));
});

test.each(FILES)('%s does not start where others would hear its calls of AWS', async (file) => {
  const table = JSON.stringify({
    defaults: { baseUrl: 'https://api.example.com' },
    connections: {},
  });
  const variables = Object.values(ENVIRONMENT).map((name) => [name, 'x']);
  Object.assign(process.env, Object.fromEntries(variables), {
    AWS_REGION: 'eu-central-1',
    AWS_ENDPOINT_URL: 'http://10.0.0.9:4566',
    [ENVIRONMENT.connections]: table,
    [ENVIRONMENT.measured]: JSON.stringify({ exports: [], overdueHours: 1 }),
  });
  await expect(import(join(FUNCTIONS, file))).rejects.toThrow(said('AWS_ENDPOINT_URL'));
});
