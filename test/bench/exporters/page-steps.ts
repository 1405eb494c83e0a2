// Measures the steps of a page one by one, each over the same pages, and the least that the same bytes cost.
import { hash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, get } from 'node:https';
import { constants, gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib';
import * as v from 'valibot';
import { readJsonBody } from '../../../lib/customers-api/answer-json.ts';
import { createPageClient } from '../../../lib/customers-api/ask-page.ts';
import { createHttp } from '../../../lib/customers-api/http.ts';
import type { Page } from '../../../lib/customers-api/outcome.ts';
import { pageOf } from '../../../lib/customers-api/page.ts';
import { hashRecords } from '../../../lib/customers-api/record-hashes.ts';
import { settingsOf } from '../../../lib/customers-api/settings.ts';
import { newWalk } from '../../../lib/customers-api/walks/new-walk.ts';
import { openWalk } from '../../../lib/customers-api/walks/open-walk.ts';
import type { Compression } from '../../../lib/exports/compression.ts';
import { PartWriter } from '../../../lib/exports/part.ts';
import { keyDetectorOf } from '../../../lib/key/redaction.ts';
import { spread } from '../spread.ts';
import { readKey } from './task.ts';

const TaskSchema = v.object({
  baseUrl: v.string(),
  pages: v.number(),
  perPage: v.number(),
  isCompressed: v.boolean(),
});

/** Rounds over all pages before, and of those that count. */
const [WARM_UPS, ROUNDS] = [3, 5];
/** As `PartWriter` gives them to zlib. */
const BATCH_BYTES = 1024 * 1024;

const { baseUrl, pages, perPage, isCompressed } = v.parse(
  TaskSchema,
  JSON.parse(process.argv[2] ?? ''),
);
const settings = settingsOf({ baseUrl, key: readKey() });
const { send } = createHttp(settings);
const agent = new Agent({ keepAlive: true });
const numbers = Array.from({ length: pages }, (_, index) => index + 1);
const steps: object[] = [];

if (isCompressed) await measureCompressedRead();
else await measureAll();
agent.destroy();
process.stdout.write(JSON.stringify(steps));

async function measureCompressedRead(): Promise<void> {
  const micros = await microsOf(numbers, read);
  const least = 'https and gunzipSync';
  const leastMicros = await microsOf(numbers, async (page) => gunzipSync(await readRaw(page)));
  steps.push({ step: 'read, decrypt and decompress gzip', micros, least, leastMicros });
}

async function measureAll(): Promise<void> {
  const micros = await microsOf(numbers, read);
  steps.push({
    step: 'read and decrypt',
    micros,
    least: 'https',
    leastMicros: await microsOf(numbers, readRaw),
  });
  const bodies: Buffer[] = [];
  for (const page of numbers) bodies.push(await readRaw(page));
  const add = async (
    step: string,
    micros: number,
    least: string,
    of: (body: Buffer) => unknown,
  ) => {
    steps.push({ step, micros, least, leastMicros: await microsOf(bodies, of) });
  };
  const holdsKey = keyDetectorOf(settings.key);
  const key = readKey();
  await add('look for the key', await microsOf(bodies, holdsKey), 'indexOf', (body) =>
    body.indexOf(key),
  );
  await add(
    'scan and cut',
    await microsOf(bodies, (body) => cut(copyOf(body))),
    'JSON.parse',
    (body) => JSON.parse(body.toString()),
  );
  const cutPages = bodies.map((body) => cut(copyOf(body)));
  const hashed = ({ ndjson, recordCount, idKey }: Page) => hashRecords(ndjson, recordCount, idKey);
  await add('hash ids', await microsOf(cutPages, hashed), 'sha256 of the page', (body) =>
    hash('sha256', body),
  );
  await add('walk', await walkMicros(), 'sha256 of the page', (body) => hash('sha256', body));
  const all = Buffer.concat(cutPages.map(({ ndjson }) => ndjson));
  const batches = Array.from({ length: Math.ceil(all.length / BATCH_BYTES) }, (_, at) =>
    all.subarray(at * BATCH_BYTES, (at + 1) * BATCH_BYTES),
  );
  const gzip = (batch: Buffer) => gzipSync(batch, { level: constants.Z_BEST_SPEED });
  const level = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
  const zstd = (batch: Buffer) => zstdCompressSync(batch, { params: level });
  for (const [compression, least] of [['gzip', gzip] as const, ['zstd', zstd] as const]) {
    const ours = await microsOf([cutPages], (each) => partOf(each, compression));
    steps.push({
      step: `compress by ${compression}, with index and SHA-256`,
      micros: ours / pages,
      least: `${compression} level 1, a MiB at a time`,
      leastMicros: (await microsOf([0], () => batches.forEach(least))) / pages,
    });
  }
}

/** What the client reads of a page, with all that surrounds ky and fetch. */
async function read(page: number): Promise<void> {
  const { href } = new URL(`customers?page=${page}&per_page=${perPage}`, settings.apiRoot);
  const answer = await send({ method: 'GET', address: href }, () => {});
  if (answer.kind === 'failure' || 'kind' in answer.body) throw new Error(`Page ${page} failed.`);
  answer.body.release();
}

async function readRaw(page: number): Promise<Buffer> {
  const headers = { 'API-KEY': readKey(), 'Accept-Encoding': isCompressed ? 'gzip' : 'identity' };
  const url = `${baseUrl}/2.0/customers?page=${page}&per_page=${perPage}`;
  const [answer]: IncomingMessage[] = await once(get(url, { agent, headers }), 'response');
  const chunks: Buffer[] = [];
  answer?.on('data', (chunk: Buffer) => chunks.push(chunk));
  if (answer !== undefined) await once(answer, 'end');
  return Buffer.concat(chunks);
}

function cut(bytes: Buffer): Page {
  const answer = { kind: 'answer', status: 200, headers: new Headers() } as const;
  const body = readJsonBody(
    { ...answer, body: { bytes, release: () => {} } },
    () => false,
    settings.maxBodyBytes,
  );
  if (body.kind !== 'json') throw new Error(body.problem);
  const about = { page: 1, resource: 'customers', itemsKey: undefined, metaKeys: {} };
  const page = pageOf(body, { ...about, idKey: 'id', facts: {}, holdsKey: () => false });
  if (page.kind !== 'page') throw new Error(page.message);
  return page;
}

/** Cutting a page writes into its bytes. */
function copyOf(body: Buffer): Buffer {
  return Buffer.from(body);
}

async function partOf(cutPages: readonly Page[], compression: Compression): Promise<void> {
  const part = new PartWriter(1, compression);
  for (const { ndjson, recordCount, recordHashes } of cutPages) {
    await part.append({ ndjson, recordCount, recordHashes });
  }
  await part.finish();
}

/** Of a verified walk over the list, what is done with its pages, for each page of a plain pass. */
async function walkMicros(): Promise<number> {
  const pagesOf = createPageClient({ baseUrl, key: readKey() });
  const askPage = pagesOf('customers');
  const rounds: number[] = [];
  for (let round = 0; round < WARM_UPS + ROUNDS; round++) {
    const walker = openWalk(newWalk({ firstPage: 1, perPage }));
    let micros = 0;
    for (let isOver = false; !isOver; ) {
      const ask = walker.ask(0);
      const page = await askPage(ask?.page ?? 0, ask);
      if (page.kind !== 'page') throw new Error(`The walk met ${page.kind}.`);
      const before = process.cpuUsage();
      const taken = walker.take(page);
      micros += usedSince(before);
      isOver = taken.kind === 'refused' || taken.end !== undefined;
    }
    rounds.push(micros / pages);
  }
  return medianOf(rounds.slice(WARM_UPS));
}

/** CPU time for one subject, of all threads. */
async function microsOf<Subject>(
  subjects: readonly Subject[],
  step: (subject: Subject) => unknown,
): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < WARM_UPS + ROUNDS; round++) {
    const before = process.cpuUsage();
    for (const subject of subjects) await step(subject);
    rounds.push(usedSince(before) / subjects.length);
  }
  return medianOf(rounds.slice(WARM_UPS));
}

function usedSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function medianOf(numbers: readonly number[]): number {
  return spread(numbers).median;
}
