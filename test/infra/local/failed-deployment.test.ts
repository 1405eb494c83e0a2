import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type LocalAccount, startLocalAccount } from '../../../infra/local/local-account.ts';
import { StackResources } from '../../../infra/local/stack-resources.ts';
import { readAssembly } from '../../../infra/local/template/assembly.ts';
import { StackScope } from '../../../infra/local/template/stack-scope.ts';
import type { Template, TemplateResource } from '../../../infra/local/template/template.ts';
import { amountOf } from '../../deep/depth.ts';
import { synthesizeStack } from './whole-stack/assembly.ts';

/** What AWS refuses to make: the local stack knows no such property. */
const REFUSED: TemplateResource = {
  Type: 'AWS::SQS::Queue',
  DependsOn: [],
  Properties: { RefusedByAws: true },
};
const folder = mkdtempSync(join(tmpdir(), 'failed-deployment-'));
// No function is run: each gets the files of another.
const assets = { get: () => join(import.meta.dirname, 'sample-functions/echo') };
let account: LocalAccount;
let template: Template;
/** Logical ids in the order in which they are made. */
let order: readonly string[];

beforeAll(async () => {
  const operation = { method: 'POST', resource: 'customers', acceptsIdempotencyKey: true };
  const settings = {
    baseUrl: 'https://api.example.com',
    changes: { events: true },
    connections: { demo: { schedule: 'rate(1 day)' } },
    operations: [{ name: 'create', ...operation }],
  };
  synthesizeStack(settings, folder);
  ({ template } = readAssembly(folder));
  account = await startLocalAccount();
  ({ order } = scopeOf(template));
}, 120_000);
afterAll(async () => {
  await account.stop();
  rmSync(folder, { recursive: true });
});

function scopeOf(of: Template): StackScope {
  const namePrefix = account.namePrefixOf('Stack');
  return new StackScope(of, { ...account.engines.place, namePrefix });
}

/** `cdk deploy`: makes one resource after another. */
async function deploy(of: Template): Promise<StackResources> {
  const resources = new StackResources(scopeOf(of), account);
  await resources.make(assets);
  return resources;
}

/** The template in which a resource is refused once this many are made. */
function refusedAfter(count: number): Template {
  const byOrder = Object.entries(template.Resources).toSorted(
    ([a], [b]) => order.indexOf(a) - order.indexOf(b),
  );
  const Resources = Object.fromEntries(byOrder.toSpliced(count, 0, ['Refused', REFUSED]));
  return { ...template, Resources };
}

/** The template with another policy for all resources of a type. */
function withPolicy(type: string, DeletionPolicy: string): Template {
  const resources = Object.entries(template.Resources).map(
    ([id, each]) => [id, each.Type === type ? { ...each, DeletionPolicy } : each] as const,
  );
  return { ...template, Resources: Object.fromEntries(resources) };
}

/** How much of what holds data is in the account. */
async function kept(): Promise<{ tables: number; buckets: number }> {
  const { payload } = await account.engines.fauxqs.inject({ method: 'GET', url: '/' });
  return { tables: await countTables(), buckets: payload.match(/<Bucket>/g)?.length ?? 0 };
}

/** @param after Name of the last one that is counted already. */
async function countTables(after?: string): Promise<number> {
  const { body } = await account.engines.tables.call('ListTables', {
    ExclusiveStartTableName: after,
  });
  const { TableNames, LastEvaluatedTableName: last } = JSON.parse(String(body));
  return TableNames.length + (last === undefined ? 0 : await countTables(last));
}

test('wherever a first deployment fails, only the table stays, and the next deployment gets further', async () => {
  expect(order.length).toBeGreaterThan(100);
  const ledger = order.findIndex((id) => template.Resources[id]?.Type === 'AWS::DynamoDB::Table');
  let tables = 0;
  for (const count of order.keys()) {
    if (count % amountOf({ short: 7, deep: 1 }) > 0) continue;
    await expect(deploy(refusedAfter(count))).rejects.toThrow(/^Refused \(AWS::SQS::Queue\)/);
    tables += count > ledger ? 1 : 0;
    expect([count, await kept()]).toEqual([count, { tables, buckets: 0 }]);
  }

  await (await deploy(template)).remove();
  expect(await kept()).toEqual({ tables: tables + 1, buckets: 2 });
  await (await deploy(template)).remove();
}, 120_000);

test('what a template retains in any case stays after a failed deployment too, with its name in the way', async () => {
  const type = 'AWS::Scheduler::ScheduleGroup';
  for (const policy of ['RetainExceptOnCreate', 'Retain']) {
    const { Resources } = withPolicy(type, policy);
    const failing = { ...template, Resources: { ...Resources, Refused: REFUSED } };
    await expect(deploy(failing)).rejects.toThrow('Refused');
  }
  await expect(deploy(template)).rejects.toThrow(
    /^Customers\w+: AWS::Scheduler::ScheduleGroup \S+ already exists$/,
  );
});
