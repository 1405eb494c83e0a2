import { jest } from '@jest/globals';
import { startFauxqs } from 'fauxqs';
import { createChangeItems } from '../../../functions/aws/ledger/change-items.ts';
import type { ChangeLedger } from '../../../lib/changes/ports.ts';
import type { Ledger } from '../../../lib/exports/ports.ts';
import { startLedger } from '../aws/dynalite-ledger.ts';
import { type ApiAnswer, type ApiRequest, askOf } from './api-world.ts';

const REGION = 'eu-central-1';
const BUCKET = 'store';

export interface FilesWorld {
  readonly ledger: Ledger;
  readonly changes: ChangeLedger;
  readonly logged: readonly string[];
  /** Stores an object; `undefined` deletes it. */
  store(key: string, body: string | Buffer | undefined): Promise<void>;
  /** Asks the function of files. */
  ask(request: ApiRequest): Promise<ApiAnswer>;
  /** Asks the function of changes. */
  askChanges(request: ApiRequest): Promise<ApiAnswer>;
  close(): Promise<void>;
}

/** The handlers of files and of changes on real engines. */
export async function startFilesWorld(): Promise<FilesWorld> {
  const logged: string[] = [];
  const engine = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
  engine.createBucket(BUCKET);
  const database = await startLedger();
  jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
    logged.push(String(line));
    return true;
  });
  Object.assign(process.env, {
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_SESSION_TOKEN: 'session',
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${engine.port}`,
    AWS_ENDPOINT_URL_DYNAMODB: database.url,
    LEDGER_TABLE: 'ledger',
    EXPORT_BUCKET: BUCKET,
  });
  const files = await import('../../../functions/list-files.ts');
  const changes = await import('../../../functions/list-changes.ts');

  return {
    ledger: database.ledger,
    changes: createChangeItems(database.table),
    logged,
    store: async (key, body) => {
      const url = `http://127.0.0.1:${engine.port}/${BUCKET}/${key}`;
      const stored =
        body === undefined
          ? await fetch(url, { method: 'DELETE' })
          : await fetch(url, { method: 'PUT', body: new Uint8Array(Buffer.from(body)) });
      await stored.arrayBuffer();
    },
    ask: askOf(files.handler),
    askChanges: askOf(changes.handler),
    close: async () => {
      jest.restoreAllMocks();
      await database.close();
      await engine.stop();
    },
  };
}
