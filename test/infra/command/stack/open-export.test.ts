import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import {
  EXPORT_ID,
  type SampleIntegration,
  SHOWN,
  startSampleIntegration,
} from '../sample-integration.ts';

let integration: SampleIntegration;
/** Those of the connection, newest first. */
let history: readonly Pick<typeof SHOWN, 'list' | 'exportId' | 'status'>[];
beforeAll(async () => {
  integration = await startSampleIntegration();
  integration.shown = () => {
    const [path = '', query] = (integration.asked.at(-1) ?? '').split('?');
    if (path.endsWith(`/${EXPORT_ID}`) || path.endsWith('/request-9')) {
      return history.find(({ exportId }) => path.endsWith(exportId));
    }
    const list = new URLSearchParams(query).get('list');
    const exports = history.filter((each) => list === null || each.list === list);
    return { queued: [], exports, next: null };
  };
  integration.changesPage = () => ({
    ...{ list: integration.list, status: 'published', counts: null },
    ...{ since: null, changes: [], next: null },
  });
});
afterAll(() => integration.stop());

const CHANGES = { status: 'published', counts: { added: 1, changed: 0, removed: 0 } };
const CUSTOMERS = { ...SHOWN, changes: CHANGES };
const INVOICES = { ...CUSTOMERS, list: 'invoices', exportId: 'request-9' };
const OF_CUSTOMERS = `/${EXPORT_ID}`;

beforeEach(() => {
  integration.asked.length = 0;
});

const COMMANDS = [
  ['show', []],
  ['watch', []],
  ['download', ['--as', 'ndjson']],
  ['changes', []],
] as const;

const isAskedFor = (export_: string) => integration.asked.some((path) => path.includes(export_));

test.each(COMMANDS)(
  '%s takes the newest export of customers, whichever list was exported last, and that of another one by its name',
  async (command, more) => {
    history = [INVOICES, CUSTOMERS];
    expect(await integration.run([command, 'acme', ...more])).toMatchObject({ exitCode: 0 });
    expect([isAskedFor(OF_CUSTOMERS), isAskedFor('/request-9')]).toEqual([true, false]);

    integration.asked.length = 0;
    const ofInvoices = [command, 'acme', ...more, '--list', 'invoices'];
    expect(await integration.run(ofInvoices)).toMatchObject({ exitCode: 0 });
    expect([isAskedFor(OF_CUSTOMERS), isAskedFor('/request-9')]).toEqual([false, true]);
  },
);

test.each(COMMANDS)(
  '%s takes none of another list where customers have none, and names the lists that do',
  async (command, more) => {
    history = [INVOICES, { ...INVOICES, list: 'bills' }, INVOICES];
    const ended = await integration.run([command, 'acme', ...more]);
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toMatch(
      /^The connection acme has no [a-z ]+ of the list customers\. start begins one\. By --list there is one of: bills, invoices\.\n$/,
    );
    expect(isAskedFor('/request-9')).toBe(false);
  },
);

test('where no list has such an export, the start of one is named', async () => {
  history = [{ ...INVOICES, status: 'failed' }];
  expect(await integration.run(['download', 'acme', '--list', 'bills'])).toEqual({
    exitCode: 1,
    stdout: '',
    stderr:
      'The connection acme has no completed export of the list bills. start --list bills begins one.\n',
  });
});

test.each([
  ['download', ['--as', 'ndjson'], `1 record of the list invoices, export request-9.\n`],
  ['changes', [], 'List invoices, export request-9 (published): 0 added, 0 changed, 0 removed.\n'],
])(
  '%s says on stderr of which list it is, also where the export is named',
  async (command, more, said) => {
    integration.list = 'invoices';
    integration.parts = ['{}\n'];
    expect((await integration.run([command, 'acme', 'request-9', ...more])).stderr).toBe(said);
  },
);
