import { expect, test } from '@jest/globals';
import type { BusEvent } from '../../../functions/aws/events.ts';
import { withLoggedChanges } from '../../../functions/services/announced-changes.ts';
import { recordedLog } from '../middleware/recorded-log.ts';

const changed: BusEvent = {
  id: 'demo/organization-changed/b',
  kind: 'organization-changed',
  connection: 'demo',
  organizationId: 'b',
  previousOrganizationId: 'a',
  atMs: 1_700_000_000_000,
  keyVersion: 'v2',
  shownBy: 'sample',
};
const refused: BusEvent = {
  id: 'demo/w/refused/1',
  kind: 'refused',
  atMs: 0,
  connection: 'demo',
  writeId: 'w',
  operation: 'create',
};

function busThat(publish: (event: BusEvent) => Promise<void>) {
  const { log, records } = recordedLog();
  return { bus: withLoggedChanges({ publish }, log), records };
}

test('a change of an organization is one line with its metric, once it is published', async () => {
  const published: BusEvent[] = [];
  const { bus, records } = busThat(async (event) => {
    expect(records()).toEqual([]);
    published.push(event);
  });

  await bus.publish(changed);

  expect(published).toEqual([changed]);
  expect(records()).toEqual([
    expect.objectContaining({
      level: 'WARN',
      message: 'Organization changed',
      connection: 'demo',
      organizationId: 'b',
      previousOrganizationId: 'a',
      keyVersion: 'v2',
      shownBy: 'sample',
      FunctionName: 'worker',
      OrganizationChanges: 1,
      _aws: expect.objectContaining({ Timestamp: 7 }),
    }),
  ]);
});

test('other events, and a change that was not published, say nothing here', async () => {
  const { bus, records } = busThat(async ({ kind }) => {
    if (kind === 'organization-changed') throw new Error('refused');
  });

  await bus.publish(refused);
  await expect(bus.publish(changed)).rejects.toThrow('refused');

  expect(records()).toEqual([]);
});
