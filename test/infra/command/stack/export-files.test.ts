import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type RemoteFile, received } from '../../../../infra/command/stack/export-files.ts';
import { storeFile } from '../../../../infra/command-line/out-folder.ts';

const STORED = Buffer.from('what is stored');
const { signal } = new AbortController();
const server = createServer();
let folder: string;
let pausesMs: number[] = [];
beforeEach(async () => {
  pausesMs = [];
  folder = mkdtempSync(join(tmpdir(), 'export-files-'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  server.closeAllConnections();
  server.removeAllListeners('request');
  await once(server.close(), 'close');
});

/** A file behind a server that gives these answers, the last one again and again. */
function fileOf(...answers: readonly RequestListener[]): RemoteFile {
  const left = [...answers];
  server.on('request', (request, response) => {
    const answer = left.length > 1 ? left.shift() : left[0];
    answer?.(request, response);
  });
  const address = server.address();
  return {
    ...{ kind: 'part', list: 'customers', records: 1 },
    key: 'exports/part',
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`,
    bytes: STORED.length,
    sha256: createHash('sha256').update(STORED).digest('hex'),
  };
}

async function stored(...answers: readonly RequestListener[]): Promise<string> {
  const path = join(folder, 'part');
  await received(
    fileOf(...answers),
    signal,
    (bytes) => storeFile(path, bytes),
    async (ms, given) => {
      pausesMs.push(ms);
      // By which Ctrl-C ends the pause.
      expect(given).toBe(signal);
    },
  );
  return readFileSync(path, 'utf8');
}

const whole: RequestListener = (_, response) => void response.end(STORED);
const breaking: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-length': STORED.length });
  response.write(STORED.subarray(0, 4), () => response.destroy());
};
const refusing: RequestListener = (_, response) => void response.writeHead(503).end();
const others: RequestListener = (_, response) => void response.end('what is others');
/** Never ends by itself. */
const endless: RequestListener = (_, response) => {
  const more = () => void response.write(Buffer.alloc(64 * 1024), (error) => error ?? more());
  more();
};

test('a file that breaks off, or is refused, is asked for again after longer and longer pauses', async () => {
  expect(await stored(breaking, refusing, whole)).toBe('what is stored');
  expect(pausesMs).toEqual([1_000, 5_000]);
});

test.each([
  ['has other bytes', others, 'SHA-256'],
  ['is longer than the manifest says, without an end', endless, 'SHA-256'],
  ['is refused again and again', refusing, 'status 503'],
])('a file that %s leaves nothing behind', async (_, answer, problem) => {
  await expect(stored(answer)).rejects.toThrow(
    new RegExp(`^exports/part could not be downloaded: .*${problem}`),
  );
  expect(readdirSync(folder)).toEqual([]);
});

test('what goes wrong with the file itself is told as that, and nothing is asked for again', async () => {
  let asked = 0;
  const counting: RequestListener = (request, response) => {
    asked += 1;
    whole(request, response);
  };
  const file = join(folder, 'file');
  await storeFile(file, STORED);
  const taking = received(fileOf(counting), signal, (bytes) =>
    storeFile(join(file, 'below'), bytes),
  );
  await expect(taking).rejects.toMatchObject({ name: 'SettingError', setting: '--out' });
  expect(asked).toBeLessThanOrEqual(1);
});
