import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { systemClock } from '../../../../functions/aws/clock-and-random.ts';
import { connectionSettingsOf } from '../../../../functions/services/connection-settings.ts';
import { tryExport } from '../../../../infra/command/try/try-export.ts';
import { ApiKey } from '../../../../lib/key/api-key.ts';
import { startTrustedSimulator } from '../../../trusted-simulator.ts';

const KEY = 'cAnArY-of-try-export';
const HOUR_MS = 3_600_000;

test('an export goes on when the clock jumps ahead by an hour, as after the sleep of a notebook', async () => {
  const simulator = await startTrustedSimulator({ organizations: [{ key: KEY }], customers: 200 });
  const folder = await mkdtemp(join(tmpdir(), 'customers-try-export-'));
  try {
    const defaults = { baseUrl: simulator.url, lists: { customers: { perPage: 20 } } };
    let asked = 0;
    const state = await tryExport({
      ...{ connection: 'try', list: 'customers', key: ApiKey.from(KEY), folder },
      settings: connectionSettingsOf({ defaults, connections: {} }, 'try'),
      signal: new AbortController().signal,
      onAsked: () => void asked++,
      onState: () => undefined,
      onWait: () => undefined,
      clock: { ...systemClock, now: () => Date.now() + (asked > 3 ? HOUR_MS : 0) },
    });

    expect(state).toMatchObject({ status: 'completed', counters: { customers: 200 } });
    expect(state.completeness?.verdict).toBe('complete');
  } finally {
    await simulator.close();
    await rm(folder, { recursive: true });
  }
});
