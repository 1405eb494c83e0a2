import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import * as v from 'valibot';
import { CustomersIntegration } from '../../infra/constructs/customers-integration.ts';
import type { CustomersIntegrationProps } from '../../infra/constructs/integration-props.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/environments.md'), 'utf8');
const apps = [...page.matchAll(/```ts\n([^`]+)```/g)].map(([, code = '']) =>
  code.replace('customers-functions/infra', pathToFileURL(join(root, 'infra/index.ts')).href),
);

const ModuleSchema = v.object({ synthesized: v.instance(App) });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'environments-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The outputs of each stack of an app on the page. */
async function outputsOf(index: number): Promise<Record<string, Record<string, unknown>>> {
  const file = join(folder, `app-${index}.mts`);
  const options = JSON.stringify({ outdir: join(folder, `cdk.out-${index}`) });
  const code = apps[index]?.replace('new App()', 'synthesized') ?? '';
  writeFileSync(file, `export const synthesized = new App(${options});\n${code}`);
  const { synthesized } = v.parse(ModuleSchema, await import(pathToFileURL(file).href));
  return Object.fromEntries(
    synthesized.synth().stacks.map(({ stackName, template }) => {
      const values = Object.entries(template.Outputs).map(([key, each]) => [
        key,
        Object(each).Value,
      ]);
      return [stackName, Object.fromEntries(values)];
    }),
  );
}

test('development and production of the page are two stacks with keys of their own', async () => {
  expect(await outputsOf(0)).toMatchObject({
    'customers-dev': { CustomersSecretPrefix: 'customers-functions/customers-dev.Customers/' },
    'customers-prod': { CustomersSecretPrefix: 'customers-functions/customers-prod.Customers/' },
  });
}, 120_000);

test('two integrations of the page are in one stack, with ids and outputs of their own', async () => {
  expect(await outputsOf(1)).toMatchObject({
    Mine: { SalesIntegrationId: 'Mine.Sales', SupportIntegrationId: 'Mine.Support' },
  });
}, 120_000);

/** Ids of the resources of an integration, and the database that it names after itself. */
function resourcesOf(id: string, more: Partial<CustomersIntegrationProps> = {}) {
  const stack = new Stack(new App(), 'Mine');
  const connectionTable = { defaults: { baseUrl: 'https://api.example.com' }, connections: {} };
  new CustomersIntegration(stack, id, { connectionTable, ...more });
  const template = Template.fromStack(stack);
  const databases = Object.values(template.findResources('AWS::Glue::Database'));
  const { Resources } = template.toJSON();
  return {
    ids: Object.keys(Resources),
    database: databases.map(({ Properties }) => Properties.DatabaseInput.Name),
  };
}

test('another id of the integration leaves its resources, another id of its construct none', () => {
  const before = resourcesOf('Customers');
  const named = resourcesOf('Customers', { integrationId: 'Other' });
  const moved = resourcesOf('Clients', { integrationId: 'Mine.Customers' });

  expect(named.ids).toEqual(before.ids);
  expect(named.database).not.toEqual(before.database);
  expect(moved.ids.filter((id) => before.ids.includes(id))).toEqual([]);
  expect(moved.database).toEqual(before.database);
});

test('the page tells how many resources an integration has, to the next five', () => {
  const [, least, most] = page.match(/An integration has (\d+) of them, and (\d+) with/) ?? [];
  const create = { name: 'create', method: 'POST', resource: 'customers' } as const;
  const full = resourcesOf('Customers', {
    connectionTable: {
      defaults: {
        baseUrl: 'https://api.example.com',
        operations: [{ ...create, acceptsIdempotencyKey: true }],
      },
      connections: {},
    },
    schedule: ScheduleExpression.rate(Duration.days(1)),
  });
  const nextFive = (ids: readonly string[]) => String(Math.ceil(ids.length / 5) * 5);

  expect([least, most]).toEqual([nextFive(resourcesOf('Customers').ids), nextFive(full.ids)]);
});
