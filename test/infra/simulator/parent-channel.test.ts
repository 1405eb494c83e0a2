import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { DEMO_KEY } from '../../../infra/simulator/options.ts';
import { orderOf } from '../../../infra/simulator/parent-channel.ts';
import { startSimulator } from '../../../infra/simulator/simulator.ts';
import { ask } from './ask.ts';

const MAIN = new URL('../../../infra/simulator/main.ts', import.meta.url).pathname;

test('a simulator does what its parent asks for, at once and while it is read, until it is to stop', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'simulator-orders-'));
  const [ca, journal] = [join(folder, 'ca.pem'), join(folder, 'journal')];
  const child = spawn(process.execPath, [MAIN, '--json', '--ca', ca, '--journal', journal], {
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });
  const [line] = await once(child.stdout ?? child, 'data');
  const local = await startSimulator({ customers: 0 });
  await local.close();
  const remote = { ...local, url: JSON.parse(String(line)).url, caPem: readFileSync(ca, 'utf8') };
  const actions = () => {
    const changes = readFileSync(journal, 'utf8').split('\n').filter(Boolean);
    return changes
      .map((text) => JSON.parse(text))
      .map(({ resource, action }) => [resource, action]);
  };
  const get = () => ask(remote, '/2.0/customers', { key: DEMO_KEY });

  await orderOf(child, {
    kind: 'edit',
    resource: 'invoices',
    edit: { inserts: 1, deletes: 1, updates: 1 },
  });
  expect(actions()).toEqual([
    ['invoices', 'inserted'],
    ['invoices', 'deleted'],
    ['invoices', 'updated'],
  ]);
  const change = { everyRequests: 1, inserts: 0, deletes: 1, updates: 0 };
  await orderOf(child, { kind: 'change', change });
  await get();
  expect(actions().slice(3)).toEqual([['customers', 'deleted']]);
  await orderOf(child, { kind: 'change', change: null });
  await get();
  expect(actions()).toHaveLength(4);

  child.kill();
  await once(child, 'close');
  rmSync(folder, { recursive: true });
});
