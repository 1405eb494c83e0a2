import { expect, test } from '@jest/globals';
import { parseExportRequested } from '../../../functions/messages/export-requested.ts';
import type { ExportReason } from '../../../lib/exports/export-state.ts';
import { VALUE_TYPES } from '../../../lib/schema/shape.ts';
import type { WriteReasonCode } from '../../../lib/writes/write-state.ts';
import { eventSchema, schemaOf } from '../../faults/check-event.ts';

/** By every reason there is, the kind of the event that tells it; the one of a person stands in the event itself. */
const KINDS: Readonly<Record<Exclude<ExportReason['code'], 'cancelled'>, 'failed' | 'halted'>> = {
  'authentication-failure': 'halted',
  'key-missing': 'halted',
  'key-malformed': 'halted',
  'key-in-use': 'halted',
  'wait-too-long': 'failed',
  unreachable: 'failed',
  unavailable: 'failed',
  refused: 'failed',
  'not-advancing': 'failed',
  contradiction: 'failed',
  'part-lost': 'failed',
  'too-many-pages': 'failed',
  'no-progress': 'failed',
  'waited-too-long': 'failed',
  deadline: 'failed',
  'organization-changed': 'failed',
  'list-removed': 'failed',
  'id-used': 'failed',
  unstorable: 'failed',
};

test.each(['failed', 'halted'] as const)('the schema of %s lists every reason', (kind) => {
  const { schema } = eventSchema(kind);
  const { enum: codes } = Object(schema).properties.reasonCode;
  const expected = Object.keys(KINDS).filter((code) => Reflect.get(KINDS, code) === kind);

  expect([...codes].sort()).toEqual(expected.sort());
});

/** By every reason of a write, the events that tell it. */
const WRITE_KINDS: Readonly<Record<WriteReasonCode, readonly ('refused' | 'unclear')[]>> = {
  // Also a repeat that was refused while the first request may have taken effect.
  refused: ['refused', 'unclear'],
  deadline: ['refused'],
  // A write waits for another key, and is refused by its deadline.
  'authentication-failure': [],
  'key-missing': [],
  'key-malformed': [],
  'key-in-use': [],
  'no-clear-answer': ['unclear'],
  'worker-lost': ['unclear'],
  'repeat-refused': ['unclear'],
  'organization-changed': ['unclear'],
  // Also of a repeat: another key came meanwhile.
  'key-in-request': ['refused', 'unclear'],
  dropped: ['refused'],
};

test.each(['refused', 'unclear'] as const)(
  'the schema of a write that is %s lists every reason',
  (kind) => {
    const { enum: codes } = Object(schemaOf(`write-${kind}`).schema).properties.reasonCode;
    const expected = Object.entries(WRITE_KINDS).filter(([, kinds]) => kinds.includes(kind));

    expect([...codes].sort()).toEqual(expected.map(([code]) => code).sort());
  },
);

test.each(['done', 'refused', 'unclear'])(
  'the schema of a write that is %s refuses a detail without its members, of another version or of another kind',
  (kind) => {
    const isValid = schemaOf(`write-${kind}`);
    const detail = {
      v: 1,
      integration: 'Team',
      id: 'demo/w-1/x/1',
      kind,
      atMs: 1,
      connection: 'demo',
      writeId: 'w-1',
      operation: 'create',
      settledBy: 'answer',
      reasonCode: 'refused',
      reasonMessage: 'Why.',
    };
    expect(isValid(detail)).toBe(true);
    for (const name of Object(isValid.schema).required) {
      const { [name as keyof typeof detail]: _left, ...rest } = detail;
      expect([name, isValid(rest)]).toEqual([name, false]);
    }
    expect(isValid({ ...detail, v: 2 })).toBe(false);
    expect(isValid({ ...detail, kind: 'other' })).toBe(false);
  },
);

test.each(['completed', 'failed', 'halted', 'throttled-long'])(
  'the schema of %s refuses a detail without its members, of another version or of another kind',
  (kind) => {
    const isValid = eventSchema(kind);
    const detail = {
      v: 1,
      integration: 'Team',
      id: 'demo/request-1/x/1',
      kind,
      atMs: 1,
      connection: 'demo',
      list: 'invoices',
      exportId: 'request-1',
      pages: 1,
      customers: 1,
      manifestKey: 'exports/connection=demo/list=invoices/export=request-1/manifest.json',
      completeness: 'complete',
      reasonCode: kind === 'halted' ? 'key-missing' : 'refused',
      reasonMessage: 'Why.',
      untilMs: 2,
    };
    expect(isValid(detail)).toBe(true);
    for (const name of Object(isValid.schema).required) {
      const { [name as keyof typeof detail]: _left, ...rest } = detail;
      expect([name, isValid(rest)]).toEqual([name, false]);
    }
    expect(isValid({ ...detail, v: 2 })).toBe(false);
    expect(isValid({ ...detail, kind: 'other' })).toBe(false);
  },
);

test('the schema of a changed schema refuses a detail without its members, of another version or kind', () => {
  const isValid = schemaOf('schema-changed');
  const detail = {
    v: 1,
    integration: 'Team',
    id: 'demo/request-2/schema-changed',
    kind: 'schema-changed',
    atMs: 1,
    connection: 'demo',
    list: 'customers',
    exportId: 'request-2',
    sinceExportId: 'request-1',
    schemaKey: 'exports/connection=demo/list=customers/export=request-2/schema.json',
    changes: [{ path: '$.fax', change: 'gone', before: { types: ['text'], always: true } }],
    changesLeftOut: 0,
  };
  expect(isValid(detail)).toBe(true);
  for (const name of Object(isValid.schema).required) {
    const { [name as keyof typeof detail]: _left, ...rest } = detail;
    expect([name, isValid(rest)]).toEqual([name, false]);
  }
  expect(isValid({ ...detail, v: 2 })).toBe(false);
  expect(isValid({ ...detail, kind: 'other' })).toBe(false);
  expect(isValid({ ...detail, changes: [] })).toBe(false);
  const { types } = Object(isValid.schema).$defs.seen.properties;
  expect(types.items.enum).toEqual(VALUE_TYPES);
});

const ours = { v: 1, integration: 'Team' };

test.each([
  [{ ...ours, connection: 'demo' }, true],
  [{ ...ours, connection: 'a'.repeat(63) }, true],
  [{ ...ours, connection: 'a'.repeat(64) }, false],
  [{ ...ours, connection: 'Demo' }, false],
  [{ ...ours, connection: '-demo' }, false],
  [{ ...ours, connection: '' }, false],
  [{ ...ours, connection: 7 }, false],
  [{ ...ours, v: 2, connection: 'demo' }, false],
  [{ ...ours, v: '1', connection: 'demo' }, false],
  [{ integration: 'Team', connection: 'demo' }, false],
  [{ v: 1, connection: 'demo' }, false],
  [{ ...ours, integration: '', connection: 'demo' }, false],
  [ours, false],
  [{ ...ours, connection: 'demo', list: 'invoices' }, true],
  [{ ...ours, connection: 'demo', list: 'a'.repeat(64) }, false],
  [{ ...ours, connection: 'demo', list: 'In voices' }, false],
  [{ ...ours, connection: 'demo', list: null }, false],
  [{ ...ours, connection: 'demo', more: 1 }, false],
  [null, false],
  [[], false],
])('the schema of requested and the function agree on %j', (detail, isValid) => {
  const event = {
    id: 'e-1',
    source: 'customers-functions.requests',
    'detail-type': 'Export Requested',
    detail,
  };
  let isTaken = true;
  try {
    expect(parseExportRequested(event, 'Team')).toMatchObject({ eventId: 'e-1' });
  } catch {
    isTaken = false;
  }

  expect(eventSchema('requested')(detail)).toBe(isValid);
  expect(isTaken).toBe(isValid);
});
