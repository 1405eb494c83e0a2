import { expect, test } from '@jest/globals';
import { connectionWithNewKey } from '../../../functions/messages/new-key.ts';

const eventFor = (name: unknown) => ({
  'detail-type': 'Secret Label Updated',
  detail: { name, labelUpdated: 'AWSCURRENT', versionId: 'v2' },
});

test.each([
  [eventFor('team/demo'), 'demo'],
  [eventFor('team/'), undefined],
  [eventFor('team/a/b'), undefined],
  [eventFor('other/demo'), undefined],
  [eventFor('tame/demo'), undefined],
  [eventFor(7), undefined],
  [{ 'detail-type': 'Scheduled Event', detail: {} }, undefined],
  [{}, undefined],
  [null, undefined],
])('reads from %j the connection %s', (event, connection) => {
  expect(connectionWithNewKey(event, 'team/')).toBe(connection);
});
