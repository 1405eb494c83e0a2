import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkLog, FLIGHT_MS } from '../simulator/check-log.ts';
import { DEMO_KEY } from '../simulator/options.ts';
import { startSimulator } from '../simulator/simulator.ts';

const CUSTOMERS = 20_000;

/** 200 pages of 100 with 20 at once and 25 a second: throttled about ten times, over in half a minute. */
const LIMIT = { kind: 'token-bucket', ratePerSecond: 25, burst: 20 } as const;

/** The simulated API of a run without `--base-url`, and what it knows of the run afterwards. */
export interface DemoApi {
  readonly baseUrl: string;
  readonly key: string;
  /** Where its certificate authority is, for `NODE_EXTRA_CA_CERTS`. */
  readonly caFile: string;
  /** JSON text of every customer, in the order of the list. */
  readonly customers: () => readonly string[];
  readonly earlyRequests: () => number;
  readonly close: () => Promise<void>;
}

export async function startDemoApi(): Promise<DemoApi> {
  const simulator = await startSimulator({ customers: CUSTOMERS, limit: LIMIT });
  const directory = await mkdtemp(join(tmpdir(), 'customers-api-'));
  const caFile = join(directory, 'ca.pem');
  await writeFile(caFile, simulator.caPem);
  return {
    baseUrl: simulator.url,
    key: DEMO_KEY,
    caFile,
    customers: () => simulator.customersOf(DEMO_KEY),
    earlyRequests: () =>
      checkLog(simulator.log.entries, { flightMs: FLIGHT_MS }).earlyRequests.length,
    close: async () => {
      await simulator.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
