import { expect, test } from '@jest/globals';
import { parseExportCompleted } from '../../../functions/messages/export-completed.ts';

const FOLDER = 'exports/connection=demo/';
const DETAIL = {
  v: 1,
  integration: 'Team',
  kind: 'completed',
  connection: 'demo',
  list: 'invoices',
  exportId: 'request-1',
  manifestKey: `${FOLDER}list=invoices/export=request-1/manifest.json`,
};
const EVENT = { source: 'customers-functions', 'detail-type': 'Export Completed', detail: DETAIL };
const told = (detail: object) => JSON.stringify({ ...EVENT, detail: { ...DETAIL, ...detail } });

test('reads which export is complete', () => {
  const { connection, list, exportId, manifestKey } = DETAIL;
  const value = { connection, list, exportId, manifestKey };
  expect(parseExportCompleted(told({}), 'Team')).toEqual({ kind: 'value', value });
});

test.each([
  ['no JSON', '{', 'the message'],
  ['another event', JSON.stringify({ ...EVENT, 'detail-type': 'Export Failed' }), 'detail-type'],
  ['an event of somebody else', JSON.stringify({ ...EVENT, source: 'other' }), 'source'],
  ['an event of another integration', told({ integration: 'Other' }), 'detail.integration'],
  ['a connection like a path', told({ connection: '../x' }), 'detail.connection'],
  ['a list like a path', told({ list: 'a/b' }), 'detail.list'],
  ['an export id like a path', told({ exportId: 'a/b' }), 'detail.exportId'],
  ['the manifest of another connection', told({ connection: 'other' }), 'detail'],
  ['the manifest of another export', told({ exportId: 'request-2' }), 'detail'],
  ['the manifest of another list', told({ list: 'customers' }), 'detail'],
  ['an object of another kind', told({ manifestKey: `${FOLDER}latest.json` }), 'detail'],
])('refuses %s and names the place', (_, body, place) => {
  expect(parseExportCompleted(body, 'Team')).toEqual({
    kind: 'malformed',
    reason: expect.stringMatching(`^Not an event .* of Team: ${place}(, detail)? is missing`),
  });
});
