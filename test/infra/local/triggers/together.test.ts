import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import type { LocalStack } from '../../../../infra/local/local-stack.ts';
import { checkLog } from '../../../../infra/simulator/check-log.ts';
import { until } from '../../../until.ts';
import { signedFetch } from '../signed-fetch.ts';
import { startStackWorld } from '../stack-world.ts';
import { operatorOf } from '../whole-stack/operator.ts';

const KEY = 'key-of-the-shared-connection';
const ToldSchema = v.object({ export: v.object({ exportId: v.string() }) });

test('two requests, a schedule and an event at the same time start one export with one worker', async () => {
  // 30 pages in three seconds, one after the other: a second worker would show.
  const shared = { walk: 'fast', requestsPerSecond: 10, pagesInFlight: 1 };
  const apiOptions = { customers: 3000, organizations: [{ key: KEY }] };
  const world = await startStackWorld(apiOptions, { connections: { shared } });
  const { api, stack } = world;
  const bus = new EventBridgeClient(stack.endpoint);
  try {
    const operator = operatorOf(stack);
    operator.storeKey('shared', KEY);

    const [first, second, scheduled] = await Promise.all([
      startOverHttp(stack),
      startOverHttp(stack),
      stack.invoke(String(stack.outputs['StartExportFunctionName']), {
        connection: 'shared',
        trigger: { kind: 'schedule', scheduledTime: '2026-01-01T00:00:00Z' },
      }),
      bus.send(new PutEventsCommand({ Entries: [requested(stack)] })),
    ]);
    await until('a completed export', () =>
      stack.events.some(({ event }) => event['detail-type'] === 'Export Completed'),
    );

    expect(scheduled).toMatchObject({ payload: expect.stringContaining(first) });
    // What all four were told, by the log of who told them.
    expect(world.lines.flatMap(startsIn)).toEqual([first, first, first, first]);
    expect(second).toBe(first);
    const pages = api.log.entries.map(({ page }) => page);
    expect(pages).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    expect(checkLog(api.log.entries).maxConcurrent).toBe(1);
  } finally {
    bus.destroy();
    await world.close();
  }
}, 180_000);

async function startOverHttp(stack: LocalStack): Promise<string> {
  const url = `${stack.httpApis[0]?.url}/connections/shared/exports`;
  const answer = await signedFetch(stack.endpoint, url, { method: 'POST' });
  expect(answer.status).toBe(202);
  return v.parse(ToldSchema, await answer.json()).export.exportId;
}

function requested({ outputs }: LocalStack) {
  return {
    Source: 'customers-functions.requests',
    DetailType: 'Export Requested',
    Detail: JSON.stringify({
      v: 1,
      integration: outputs['IntegrationId'],
      connection: 'shared',
    }),
  };
}

function startsIn(line: string): readonly string[] {
  return /"message":"Start"/.test(line) ? [/"exportId":"([^"]+)"/.exec(line)?.[1] ?? ''] : [];
}
