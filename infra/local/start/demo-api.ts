import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defined } from '../../../lib/defined.ts';
import type { RequestLimit } from '../../report/report-data.ts';
import { DEMO_KEY, type SimulatorOptions } from '../../simulator/options.ts';
import { RESOURCE_NAMES } from '../../simulator/resources.ts';
import { type ApiTruth, demoTruth } from './demo-truth.ts';
import type { StartOptions } from './start-options.ts';

/** 200 pages of 100 with 20 at once and 25 a second: throttled about ten times, over in half a minute. */
const CUSTOMERS = 20_000;
/** Two exports take no longer than that. */
const CUSTOMERS_TO_CHANGE = 5_000;
const MAX_PER_PAGE = 100;
const LIMIT = { requestsPerSecond: 25, burst: 20 } as const;

/** What is done to each list between two exports: enough to be seen, and far too few removals to be held back. */
const EDIT = { inserts: 25, deletes: 20, updates: 55 } as const;
/** What is done while the second export reads: rows slide to another page every few requests. */
const CHANGE = { everyRequests: 4, inserts: 1, deletes: 1, updates: 2 } as const;

export interface ExportedApi {
  readonly baseUrl: string;
  readonly key: string;
  /** Its certificate authority for `NODE_EXTRA_CA_CERTS`. @default - that of the environment */
  readonly caFile?: string;
  /** @default - it says nothing about its run */
  readonly truth?: ApiTruth;
  /** How often it may be asked. @default - not known */
  readonly limit?: Omit<RequestLimit, 'says'>;
  /** Has its lists change, now and while they are read, until they are to stay. @default - they are not ours to change */
  readonly moving?: { begin(): void; end(): void };
  /** Ends it. @default - it is not ours to end */
  readonly close?: () => Promise<void>;
}

interface DemoOptions extends Pick<StartOptions, 'changes' | 'settings'> {
  /** In place of its own ones. */
  readonly demoOptions?: SimulatorOptions | undefined;
}

/** Starts the simulated API. Where its certificate cannot be written, it is not started. */
export async function startDemoApi({
  changes,
  settings: { header },
  demoOptions,
}: DemoOptions): Promise<ExportedApi> {
  // They make names and certificates, which the export of another API need not load.
  const [{ createCertificates }, { startSimulatorWith }] = await Promise.all([
    import('../../simulator/certificate.ts'),
    import('../../simulator/simulator.ts'),
  ]);
  const certificates = await createCertificates(Date.now());
  const caFile = join(await mkdtemp(join(tmpdir(), 'customers-api-')), 'ca.pem');
  await writeFile(caFile, certificates.caPem);
  const simulator = await startSimulatorWith(certificates, {
    customers: changes ? CUSTOMERS_TO_CHANGE : CUSTOMERS,
    maxPerPage: MAX_PER_PAGE,
    limit: {
      kind: 'token-bucket',
      ratePerSecond: LIMIT.requestsPerSecond,
      burst: LIMIT.burst,
    },
    ...defined({ keyHeader: header?.toString() }),
    ...demoOptions,
  });
  return {
    baseUrl: simulator.url,
    key: DEMO_KEY,
    caFile,
    truth: demoTruth(simulator),
    limit: LIMIT,
    moving: {
      begin: () => {
        for (const resource of RESOURCE_NAMES) simulator.edit(DEMO_KEY, EDIT, resource);
        simulator.setChange(CHANGE);
      },
      end: () => simulator.setChange(undefined),
    },
    close: simulator.close,
  };
}
