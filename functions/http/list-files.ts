import { isoTime } from '../../lib/exports/bounds.ts';
import { type ExportFile, exportFilesOf, fileOfText } from '../../lib/exports/export-files.ts';
import type { Ledger, Store } from '../../lib/exports/ports.ts';
import { listSchemaKey, manifestKey } from '../../lib/exports/store-objects.ts';
import { folderOf } from '../../lib/exports/stored-manifest.ts';
import type { PresignUrl } from '../aws/presigned-urls.ts';
import { jsonAnswer } from './answer.ts';
import { completedExport, filesGone } from './completed-export.ts';
import { parsePlace, placeText } from './cursor.ts';
import { invalidRequest, unknownCaller } from './problem.ts';
import { AFTER_EXPECTED, type ROUTES } from './routes.ts';
import type { Route } from './serve-routes.ts';

interface Ports {
  readonly ledger: Pick<Ledger, 'readExport' | 'readLine'>;
  readonly store: Pick<Store, 'read'>;
  readonly presignUrl: PresignUrl;
  readonly clock: { now(): number };
}

const DEFAULT_LIMIT = 100;

export const listFiles: Route<typeof ROUTES.listFiles, Ports, unknown> = async (call, ports) => {
  const { connection, input, log, caller: by } = call;
  if (by === undefined) return unknownCaller('gets at files');
  const { exportId } = input.path;
  const { limit = DEFAULT_LIMIT, after } = input.query;
  const from = after === undefined ? 0 : parsePlace([connection, exportId], after);
  if (from === undefined) return invalidRequest('after', `after: ${AFTER_EXPECTED}.`);

  const found = await completedExport(ports.ledger, connection, exportId, 'files that count');
  if (found.kind === 'problem') return found;
  const key = manifestKey(found.state);
  const stored = await ports.store.read(key);
  if (stored === undefined) return filesGone(key);
  const counted = exportFilesOf(key, stored.text);
  // It may come while a caller goes from page to page, so it is the last one: no other file moves.
  const isNearEnd = from + limit >= counted.length;
  const files = isNearEnd ? [...counted, ...(await schemaIn(ports.store, folderOf(key)))] : counted;
  const to = Math.min(files.length, from + limit);
  const nowMs = ports.clock.now();
  const some = files.slice(from, to);
  const shown = await Promise.all(some.map((file) => withUrl(ports.presignUrl, file, nowMs)));
  log.info('Files listed', { by, exportId, files: shown.length, from });
  return jsonAnswer(200, {
    connection,
    list: found.state.list,
    exportId,
    files: shown,
    next: to < files.length ? placeText([connection, exportId], to) : null,
  });
};

/** What the records look like: not there before they are described, or when nobody wants that. */
async function schemaIn(
  store: Ports['store'],
  exportFolder: string,
): Promise<readonly ExportFile[]> {
  const key = listSchemaKey(exportFolder);
  const stored = await store.read(key);
  return stored === undefined ? [] : [fileOfText('schema', key, stored.text)];
}

async function withUrl(presignUrl: PresignUrl, file: ExportFile, nowMs: number) {
  const { kind, key, bytes, sha256, records = null } = file;
  const { url, expiresAtMs } = await presignUrl(key, nowMs);
  const name = key.slice(key.lastIndexOf('/') + 1);
  return { kind, name, key, bytes, records, sha256, url, expiresAt: isoTime(expiresAtMs) };
}
