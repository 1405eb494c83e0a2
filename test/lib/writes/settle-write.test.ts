import { expect, test } from '@jest/globals';
import { settleWrite } from '../../../lib/writes/settle-write.ts';
import { writeState } from '../../functions/aws/write-state.ts';
import { acceptWorld } from './accept-world.ts';
import { settingsWith } from './default-settings.ts';

test('a retry whose wake-up could not be sent sends it when it is asked for again, and only then', async () => {
  const { world, ports, ledger, sent } = acceptWorld([
    writeState({ status: 'unclear', attempt: 3, closed: true }),
  ]);
  const settings = settingsWith();
  const name = { connection: 'acme', writeId: 'w', attempt: 3 };
  const retry = () => settleWrite(ports, settings, { ...name, decision: 'retry', by: 'ada' });

  world.canSend = false;
  await expect(retry()).rejects.toThrow('SQS');
  world.canSend = true;
  expect(await retry()).toMatchObject({ kind: 'settled', state: { status: 'intended' } });
  expect(sent).toEqual([{ v: 1, connection: 'acme', writeId: 'w', attempt: 4 }]);

  await retry();
  expect(sent).toHaveLength(1);
  expect(ledger.readWrite('acme', 'w')).toMatchObject({ wakeUpSent: true });
});
