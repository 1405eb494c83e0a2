import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import * as v from 'valibot';
import { CustomersStack } from '../../../../infra/customers-stack.ts';
import { CONTEXT_KEY } from '../../../../infra/settings/customers-settings.ts';

const STACK = 'CustomersFunctions';

/**
 * Puts the stack that is deployed into a folder, for these settings of the context. In this process, where the CDK is
 * loaded already: a process of its own takes ten times as long.
 */
export function synthesizeStack(settings: object, directory: string): void {
  const app = new App({
    context: { [CONTEXT_KEY]: settings },
    ...{ outdir: directory, autoSynth: false, treeMetadata: false },
  });
  new CustomersStack(app, STACK);
  app.synth();
}

/** Keys by connection, as the secrets that this stack finds where they were made before it. */
export function secretsOf(keys: Iterable<readonly [string, string]>): Record<string, string> {
  const named = [...keys].map(
    ([name, key]) => [`customers-functions/${STACK}/${name}`, key] as const,
  );
  return Object.fromEntries(named);
}

/** Adds a resource to the template, after all that are in it. */
export function addResource(directory: string, logicalId: string, resource: object): void {
  const path = templatePath(directory);
  const template = v.parse(TemplateSchema, JSON.parse(readFileSync(path, 'utf8')));
  const Resources = { ...template.Resources, [logicalId]: resource };
  writeFileSync(path, JSON.stringify({ ...template, Resources }));
}

function templatePath(directory: string): string {
  const file = readdirSync(directory).find((name) => name.endsWith('.template.json')) ?? '';
  return join(directory, file);
}

const TemplateSchema = v.looseObject({
  Resources: v.record(
    v.string(),
    v.looseObject({
      Type: v.string(),
      Properties: v.optional(v.record(v.string(), v.unknown()), {}),
    }),
  ),
});

type Properties = Record<string, unknown>;

/**
 * Changes the properties of the one resource of a type whose logical id begins like this; without
 * properties the resource is taken out.
 */
function changeTemplate(
  directory: string,
  type: string,
  idBeginsWith: string,
  change: (properties: Properties) => Properties | undefined,
): void {
  const path = templatePath(directory);
  const template = v.parse(TemplateSchema, JSON.parse(readFileSync(path, 'utf8')));
  const found = Object.entries(template.Resources).filter(
    ([id, { Type }]) => Type === type && id.startsWith(idBeginsWith),
  );
  const [resource] = found;
  if (resource === undefined || found.length > 1) throw new Error(`not one ${idBeginsWith}`);
  const [id, { Type, Properties }] = resource;
  const changed = change(Properties);
  if (changed === undefined) delete template.Resources[id];
  else template.Resources[id] = { ...resource[1], Type, Properties: changed };
  writeFileSync(path, JSON.stringify(template));
}

/**
 * Minutes of waiting become seconds: a killed worker's lease and message are back after `seconds`, and a
 * step fetches for half of that.
 */
export function shortenWaits(directory: string, seconds: number): void {
  changeTemplate(directory, 'AWS::Lambda::Function', 'CustomersRunExport', (properties) => ({
    ...properties,
    Timeout: seconds,
  }));
  changeTemplate(directory, 'AWS::SQS::Queue', 'CustomersExportsQueue', (properties) => ({
    ...properties,
    VisibilityTimeout: seconds,
  }));
}

/** A copy of an assembly in which nothing feeds the worker: its messages stay until somebody takes them. */
export function copyWithoutMapping(assembly: string, directory: string): void {
  cpSync(assembly, directory, { recursive: true });
  const type = 'AWS::Lambda::EventSourceMapping';
  changeTemplate(directory, type, 'CustomersRunExport', () => undefined);
}
