import * as v from 'valibot';
import { CUSTOMERS_LIST } from '../../lib/exports/list-settings.ts';
import {
  ExportIdSchema,
  ListNameSchema,
  START_KEY,
  START_KEY_EXPECTED,
  WRITE_ID,
  WRITE_ID_EXPECTED,
  WriteIdSchema,
} from '../../lib/names.ts';
import { jsonMembers, jsonObject, keptText, reasonFor, wholeNumber } from './input-schemas.ts';

/** One route of the HTTP API, below `/connections/{connection}`. */
export interface RouteSpec {
  readonly method: 'GET' | 'POST';
  /** `{name}` stands for one segment. */
  readonly path: string;
  /**
   * Those of files and those of changes have a function each of their own; those of changes and decisions are there
   * only in a stack that compares exports, those of writes only in one that declares operations.
   */
  readonly of: 'exports' | 'files' | 'changes' | 'decisions' | 'customers' | 'gate' | 'writes';
  /**
   * What it takes of a request: any of `path`, `query`, `headers` (names in lower case) and `body` (a text).
   * They are checked in the order in which they stand, and the first wrong one is the problem. Every route says what it
   * takes of the query and of the body: what it does not name would pass unseen.
   */
  readonly input: v.GenericSchema<unknown, { readonly query: unknown; readonly body: unknown }>;
  /** The member of the body in which a person writes what is kept and told: it must not hold the key. */
  readonly words?: 'reason' | 'note';
}

const CONNECTION = '/connections/{connection}';

const noQuery = v.strictObject({});

/** An empty JSON object is let pass, which some clients send with every POST. */
const noBody = v.pipe(
  v.string(),
  v.regex(/^\s*(\{\s*\}\s*)?$/, 'expected none, or an empty JSON object. Nothing is set by a body'),
);

const pageQuery = v.strictObject({
  page: v.exactOptional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
  per_page: v.exactOptional(wholeNumber(1, 10_000)),
});

/** The answer to a cursor of another connection says it too. */
export const AFTER_EXPECTED = 'expected the value of next from the page before';
// A cursor has about 150 characters; names of connections have up to 63.
const after = v.exactOptional(v.pipe(v.string(AFTER_EXPECTED), v.maxLength(400, AFTER_EXPECTED)));
const exportPath = v.object({
  exportId: ExportIdSchema,
});
const EXPORT_KEY_EXPECTED = `Idempotency-Key: expected ${START_KEY_EXPECTED}`;

const WRITE_KEY_EXPECTED = `idempotency-key: ${WRITE_ID_EXPECTED}`;
const writePath = v.object({ writeId: WriteIdSchema });

const NOTE_EXPECTED = 'expected a text of 1,024 Unicode characters at most';
const ATTEMPT_EXPECTED = 'expected the attempt of the unclear write, a whole number';

/** The routes of the HTTP API by their `operationId`: the stack declares them and the function serves them. */
export const ROUTES = {
  startExport: {
    method: 'POST',
    path: `${CONNECTION}/exports`,
    of: 'exports',
    input: v.object({
      body: v.pipe(
        v.string(),
        v.transform((text) => (text.trim() === '' ? '{}' : text)),
        jsonObject({ list: v.optional(ListNameSchema, CUSTOMERS_LIST) }),
      ),
      query: noQuery,
      // As in draft-ietf-httpapi-idempotency-key-header; quotes, where there are some, are part of the key.
      headers: v.object({
        'idempotency-key': v.exactOptional(
          v.pipe(v.string(EXPORT_KEY_EXPECTED), v.regex(START_KEY, EXPORT_KEY_EXPECTED)),
        ),
      }),
    }),
  },
  /** Newest first. */
  listExports: {
    method: 'GET',
    path: `${CONNECTION}/exports`,
    of: 'exports',
    input: v.object({
      body: noBody,
      query: v.strictObject({
        // Each export takes about 1 KB in the answer, and one more read.
        limit: v.exactOptional(wholeNumber(1, 100)),
        after,
        list: v.exactOptional(ListNameSchema),
      }),
    }),
  },
  showExport: {
    method: 'GET',
    path: `${CONNECTION}/exports/{exportId}`,
    of: 'exports',
    input: v.object({
      body: noBody,
      path: exportPath,
      query: noQuery,
    }),
  },
  cancelExport: {
    method: 'POST',
    path: `${CONNECTION}/exports/{exportId}/cancel`,
    of: 'exports',
    words: 'reason',
    input: v.object({
      path: exportPath,
      query: noQuery,
      body: jsonObject({
        reason: reasonFor('the export is cancelled'),
        parts: v.optional(
          v.picklist(
            ['keep', 'remove'],
            'expected keep or remove: what becomes of what is stored of the export',
          ),
          'keep',
        ),
      }),
    }),
  },
  /** The manifest first, then the parts, then the description of the records. */
  listFiles: {
    method: 'GET',
    path: `${CONNECTION}/exports/{exportId}/files`,
    of: 'files',
    input: v.object({
      body: noBody,
      path: exportPath,
      query: v.strictObject({
        // A presigned URL has about 2 KB, and 6 MB fit into an answer.
        limit: v.exactOptional(wholeNumber(1, 500)),
        after,
      }),
    }),
  },
  listChanges: {
    method: 'GET',
    path: `${CONNECTION}/exports/{exportId}/changes`,
    of: 'changes',
    input: v.object({
      body: noBody,
      path: exportPath,
      query: v.strictObject({
        // Without its record a change has about 300 bytes.
        limit: v.exactOptional(wholeNumber(1, 1000)),
        after,
        change: v.exactOptional(
          v.picklist(['added', 'changed', 'removed'], 'expected added, changed or removed'),
        ),
        records: v.optional(
          v.pipe(
            v.picklist(['true', 'false'], 'expected true or false'),
            v.transform((text) => text === 'true'),
          ),
          'false',
        ),
      }),
    }),
  },
  decideChanges: {
    method: 'POST',
    path: `${CONNECTION}/exports/{exportId}/changes/decision`,
    of: 'decisions',
    input: v.object({
      path: exportPath,
      query: noQuery,
      body: jsonObject({
        decision: v.picklist(
          ['release', 'discard'],
          'expected release (they are told as any others) or discard (they are never told)',
        ),
      }),
    }),
  },
  listCustomers: {
    method: 'GET',
    path: `${CONNECTION}/customers`,
    of: 'customers',
    input: v.object({ body: noBody, query: pageQuery }),
  },
  listRecords: {
    method: 'GET',
    path: `${CONNECTION}/lists/{list}`,
    of: 'customers',
    input: v.object({ body: noBody, path: v.object({ list: ListNameSchema }), query: pageQuery }),
  },
  /** What the API asked all callers of the connection to wait for. */
  showGate: {
    method: 'GET',
    path: `${CONNECTION}/gate`,
    of: 'gate',
    input: v.object({ body: noBody, query: noQuery }),
  },
  openGate: {
    method: 'POST',
    path: `${CONNECTION}/gate/opening`,
    of: 'gate',
    words: 'reason',
    input: v.object({
      query: noQuery,
      body: jsonObject({
        reason: reasonFor('the gate is opened'),
      }),
    }),
  },
  requestWrite: {
    method: 'POST',
    path: `${CONNECTION}/writes`,
    of: 'writes',
    input: v.object({
      query: noQuery,
      // What is in the members is checked where every way in is.
      body: jsonMembers(['writeId', 'operation', 'params', 'body', 'orderKey']),
      headers: v.object({
        'idempotency-key': v.exactOptional(
          v.pipe(v.string(WRITE_KEY_EXPECTED), v.regex(WRITE_ID, WRITE_KEY_EXPECTED)),
        ),
      }),
    }),
  },
  /** Oldest first. */
  listUnclearWrites: {
    method: 'GET',
    path: `${CONNECTION}/writes`,
    of: 'writes',
    input: v.object({
      body: noBody,
      query: v.strictObject({
        status: v.optional(
          v.literal('unclear', 'expected unclear: only writes that wait for a person are listed'),
          'unclear',
        ),
      }),
    }),
  },
  showWrite: {
    method: 'GET',
    path: `${CONNECTION}/writes/{writeId}`,
    of: 'writes',
    input: v.object({ body: noBody, path: writePath, query: noQuery }),
  },
  settleWrite: {
    method: 'POST',
    path: `${CONNECTION}/writes/{writeId}/settlement`,
    of: 'writes',
    words: 'note',
    input: v.object({
      path: writePath,
      query: noQuery,
      body: jsonObject({
        attempt: v.pipe(
          v.number(ATTEMPT_EXPECTED),
          v.safeInteger(ATTEMPT_EXPECTED),
          v.minValue(0, ATTEMPT_EXPECTED),
        ),
        decision: v.picklist(
          ['done', 'retry', 'drop'],
          'expected done (it took effect), retry (it did not, so it is sent again) or drop (it did not, and is given up)',
        ),
        note: v.exactOptional(keptText(NOTE_EXPECTED)),
      }),
    }),
  },
} as const satisfies Readonly<Record<string, RouteSpec>>;
