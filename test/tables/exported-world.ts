import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import tls from 'node:tls';
import { gzipSync } from 'node:zlib';
import {
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { readAssembly } from '../../infra/local/template/assembly.ts';
import type { Template } from '../../infra/local/template/template.ts';
import { startSimulator } from '../../infra/simulator/simulator.ts';
import { exportPrefix } from '../../lib/exports/store-objects.ts';
import { startCheckedStack } from '../infra/local/checked-stack.ts';
import { synthesizeStack } from '../infra/local/whole-stack/assembly.ts';
import { operatorOf } from '../infra/local/whole-stack/operator.ts';
import type { Bucket, StoredObject } from './glue-tables.ts';
import { startHardApi } from './hard-records.ts';

const CUSTOMERS = 1_234;
const DEMO_KEY = 'key-of-demo-organization';
const EMPTY_KEY = 'key-of-empty-organization';
const HARD_KEY = 'key-of-hard-organization';

/** Exports that the whole stack has made on this machine, and the truth about them. */
export interface ExportedWorld {
  readonly template: Template;
  readonly bucket: Bucket;
  /** Of connection demo, before a customer was added. */
  readonly firstExportId: string;
  /** What the stack wrote about the customers of connection demo after the second export. */
  readonly schema: string;
  /** The customers of connection demo: of its first export, and of the newest. */
  readonly first: readonly string[];
  readonly newest: readonly string[];
  readonly invoices: readonly string[];
}

/** Connections demo, whose customers were exported twice, hard and empty. All that ran is over when it returns. */
export async function exportWorld(): Promise<ExportedWorld & { remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'athena-tables-'));
  const remove = () => rmSync(folder, { recursive: true });
  const api = await startSimulator({
    customers: CUSTOMERS,
    organizations: [
      { key: DEMO_KEY, name: 'Demo' },
      { key: EMPTY_KEY, name: 'Empty', customers: 0 },
    ],
  });
  const hardApi = await startHardApi();
  try {
    const caFile = join(folder, 'ca.pem');
    writeFileSync(caFile, api.caPem + hardApi.caPem);
    const assembly = join(folder, 'assembly');
    const connections = { hard: { baseUrl: hardApi.url, compression: 'zstd' } };
    // Several parts an export.
    const lists = { invoices: {} };
    const settings = { baseUrl: api.url, perPage: 10, partMaxPages: 50, lists, connections };
    synthesizeStack(settings, assembly);
    const stack = await startCheckedStack({
      assembly,
      environment: { NODE_EXTRA_CA_CERTS: caFile },
      schedules: false,
    });
    try {
      const files = filesOf(stack);
      files.storeKey('demo', DEMO_KEY);
      files.storeKey('empty', EMPTY_KEY);
      files.storeKey('hard', HARD_KEY);
      const firstExportId = await files.exportAll('demo');
      const first = api.customersOf(DEMO_KEY);
      await addCustomer(api.url, api.caPem);
      const exportId = await files.exportAll('demo');
      await files.exportAll('demo', 'invoices');
      await files.exportAll('empty');
      await files.exportAll('hard');
      // What tells the tables which parts to read comes after an export.
      await stack.idle();
      const bucket = await files.download(join(folder, 'bucket'));
      const { template } = readAssembly(assembly);
      const newest = api.customersOf(DEMO_KEY);
      const invoices = api.recordsOf(DEMO_KEY, 'invoices');
      const place = { connection: 'demo', list: 'customers', exportId };
      const schema = (await files.read(`${exportPrefix(place)}schema.json`)).toString();
      return { template, bucket, firstExportId, schema, first, newest, invoices, remove };
    } finally {
      await stack.stop();
    }
  } catch (error) {
    remove();
    throw error;
  } finally {
    await Promise.all([api.close(), hardApi.close()]);
  }
}

async function addCustomer(url: string, caPem: string): Promise<void> {
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), caPem]);
  const { status } = await fetch(`${url}/2.0/customers`, {
    method: 'POST',
    headers: { 'API-KEY': DEMO_KEY, 'Content-Type': 'application/json' },
    body: '{"name":"Somebody New"}',
  });
  if (status !== 201) throw new Error(`expected 201, got ${status}`);
}

function filesOf(stack: Awaited<ReturnType<typeof startCheckedStack>>) {
  const operator = operatorOf(stack);
  const s3 = new S3Client({ ...stack.endpoint, forcePathStyle: true });
  const name = String(stack.outputs['ExportBucketName']);

  return {
    storeKey: operator.storeKey,
    read: operator.read,

    exportAll: async (connection: string, list = 'customers'): Promise<string> => {
      const { exportId } = await operator.start(connection, list);
      const { status } = await operator.watch(
        connection,
        exportId,
        (state) => state.status !== 'running',
      );
      if (status !== 'completed') throw new Error(`${connection} is ${status}`);
      // What a crashed step may leave behind.
      const { parts } = await operator.manifest(connection, exportId, list);
      for (const { key } of parts.slice(0, 1)) {
        const Key = key.replace(/part-\d+-/, 'part-00001-stray');
        const Body = gzipSync('{"id":"stray"}\n');
        await s3.send(new PutObjectCommand({ Bucket: name, Key, Body }));
      }
      return exportId;
    },

    /** Copies the bucket into a folder. */
    download: async (folder: string): Promise<Bucket> => {
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: name }));
      const objects: StoredObject[] = [];
      for (const { Key: key = '' } of Contents) {
        const { Body } = await s3.send(new GetObjectCommand({ Bucket: name, Key: key }));
        const path = join(folder, key);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, (await Body?.transformToByteArray()) ?? '');
        objects.push({ key, path });
      }
      return { name, objects };
    },
  };
}
