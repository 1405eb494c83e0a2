import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connectionSettingsOf } from '../../functions/services/connection-settings.ts';
import { COMMANDS } from '../../infra/command/commands.ts';
import { runCommand } from '../../infra/command/run-command.ts';
import { customersSettingsOf } from '../../infra/settings/customers-settings.ts';
import { createCertificates } from '../../infra/simulator/certificate.ts';
import { listen } from '../functions/aws/local-server.ts';
import { sampleSurroundings } from '../infra/command/sample-surroundings.ts';
import { trust } from '../trust.ts';

/** Of an older format: longer, and with signs that newer keys do not have. */
const KEY = 'acc/2019:canary+of==the{older}kind';
const INVOICES = 250;

let page: string;
let folder: string;
let api: Server;
let baseUrl: string;

beforeAll(async () => {
  page = await readFile(join(import.meta.dirname, '../../docs/another-resource.md'), 'utf8');
  folder = await mkdtemp(join(tmpdir(), 'another-resource-'));
  const { caPem, certificatePem: cert, privateKeyPem: key } = await createCertificates(Date.now());
  trust(caPem);
  api = createServer({ key, cert }, ({ url = '', headers }, response) => {
    const { status, body } = answerTo(new URL(url, 'https://api'), headers['x-old-token']);
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  baseUrl = (await listen(api)).url.replace('http:', 'https:');
});
afterAll(async () => {
  api.closeAllConnections();
  api.close();
  await rm(folder, { recursive: true, force: true });
});

/** The API of the page, with as many invoices as its answer says. */
function answerTo({ pathname, searchParams }: URL, key: unknown) {
  if (key !== KEY) return { status: 401, body: {} };
  if (pathname !== '/2.0/finance/invoices') return { status: 404, body: {} };
  const isAll = searchParams.get('status') === 'all';
  const perPage = Number(searchParams.get('per_page'));
  const at = Number(searchParams.get('page'));
  const count = isAll ? INVOICES : 10;
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const booked = numbers.slice(at * perPage, (at + 1) * perPage).map(invoice);
  const counts = { how_many: count, page_amount: Math.ceil(count / perPage), this_one: at };
  return { status: 200, body: { payload: { booked, corrected: [invoice(0)] }, counts } };
}

const invoice = (index: number) => ({
  file_mark: `2019-${String(index).padStart(4, '0')}`,
  amount: 12.5,
});

/** The words of the page's command, and its options. */
function commandOnPage(): readonly string[] {
  const command = [...page.matchAll(/^```sh\nnpx customers-functions (.*?)^```/gms)].at(-1)?.[1];
  const words = (command ?? '').replaceAll('\\\n', ' ').matchAll(/'([^']*)'|(\S+)/g);
  return [...words].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

async function tryWithout(option?: string) {
  const given = commandOnPage().flatMap((word, index, all) =>
    option !== undefined && (word === option || all[index - 1] === option) ? [] : [word],
  );
  const here = given.map((word) => (word === 'https://api.example.com' ? baseUrl : word));
  const surroundings = sampleSurroundings({ environment: { CUSTOMERS_API_KEY: KEY } });
  const args = [...here, '--out', folder, '--json'];
  await runCommand(COMMANDS, args, { ...surroundings, now: Date.now });
  expect(surroundings.said.stdout + surroundings.said.stderr).not.toContain('canary');
  return JSON.parse(surroundings.said.stdout);
}

test('the command of the page exports the API of the page, completely', async () => {
  expect(await tryWithout()).toMatchObject({
    status: 'completed',
    customers: INVOICES,
    completeness: { verdict: 'complete' },
    warnings: [],
  });
});

test.each([
  ['header', 'header'],
  ['resource', 'resource'],
  ['query', 'query'],
  ['first-page', 'firstPage'],
  ['items-key', 'itemsKey'],
  ['id-key', 'idKey'],
  ['meta-keys', 'metaKeys'],
])('without --%s one sees what the page says', async (option, setting) => {
  const [, row = ''] = new RegExp(`^\\| \`${setting}\` \\| (.*) \\|$`, 'm').exec(page) ?? [];
  const told = [...row.matchAll(/`([^`]+)`/g)].map(([, words = '']) => words);

  const seen = await tryWithout(`--${option}`);

  expect(row).not.toBe('');
  for (const words of told) expect(JSON.stringify(seen)).toContain(words);
  if (option === 'query') {
    expect(seen).toMatchObject({ customers: 10, completeness: { verdict: 'complete' } });
  }
});

test('the settings of the page are those of its command', () => {
  const [given = ''] = [...page.matchAll(/^```json\n(.*?)^```/gms)].flatMap(([, text = '']) =>
    text.includes('baseUrl') ? [text] : [],
  );
  const { connectionTable } = customersSettingsOf(JSON.parse(given));
  const { lists, api } = connectionSettingsOf(connectionTable, 'any');
  const words = commandOnPage();
  const optionOf = (option: string) => words[words.indexOf(`--${option}`) + 1] ?? '';

  expect([...lists.keys()]).toEqual([optionOf('list')]);
  expect(api.header).toBe(optionOf('header'));
  expect(lists.get('invoices')).toMatchObject({
    resource: optionOf('resource'),
    query: JSON.parse(optionOf('query')),
    firstPage: Number(optionOf('first-page')),
    itemsKey: optionOf('items-key'),
    idKey: optionOf('id-key'),
    metaKeys: JSON.parse(optionOf('meta-keys')),
  });
});
