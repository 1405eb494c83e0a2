import type { ChangeDetail } from '../../../lib/changes/change-event.ts';
import { defined } from '../../../lib/defined.ts';

const HASHES = { before: '0123456789abcdef', after: 'fedcba9876543210' };

/** Of one record, found by an export; other members as given. */
const common = {
  v: 1,
  integration: 'CustomersFunctions',
  id: 'e1',
  atMs: 1_767_312_245_000,
  connection: 'demo',
  list: 'customers',
  exportId: 'schedule-2',
  exportStartedAtMs: 1_767_312_000_000,
  sinceExportId: 'schedule-1',
  idKey: 'id',
  recordId: '12345678901234567890',
  recordIdJson: '12345678901234567890',
  recordAt: {
    bucket: 'exports',
    key: 'exports/connection=demo/list=customers/export=schedule-2/part-00001-0a1b2c3d.ndjson.gz',
    line: 2,
  },
};

export const RECORD = '{"id":12345678901234567890,"email":"a@b.example","score":1.10}';

type Given = Partial<Omit<ChangeDetail, 'kind' | 'record'>> & {
  readonly kind?: ChangeDetail['kind'];
  /** `undefined`: the event has none. */
  readonly record?: string | undefined;
};

/** The detail of an event as it is published, of a changed record unless given otherwise. */
export function toldChange({ kind = 'changed', ...given }: Given = {}) {
  const { before, after } = HASHES;
  const { connection, list, recordAt } = { ...common, ...given };
  const key = recordAt.key.replace(
    /connection=.*\/export/,
    `connection=${connection}/list=${list}/export`,
  );
  const at = { recordAt: { ...recordAt, key } };
  const own = {
    added: { after },
    changed: { members: ['email'], before, after },
    removed: { before },
  }[kind];
  const { record = 'record' in given ? undefined : RECORD, ...others } = given;
  return { ...common, ...at, ...own, kind, ...defined({ record }), ...others };
}

/** The event as EventBridge delivers it. */
export function changeEvent(given: Given = {}) {
  const detail = toldChange(given);
  const change = { added: 'Added', changed: 'Changed', removed: 'Removed' }[detail.kind];
  return {
    version: '0',
    id: '6f1b4c2e-0000-0000-0000-000000000000',
    'detail-type': `${detail.list === 'customers' ? 'Customer' : 'Record'} ${change}`,
    source: 'customers-functions',
    account: '123456789012',
    time: '2026-01-02T00:04:05Z',
    region: 'eu-central-1',
    resources: [],
    detail,
  };
}
