import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';

const APP = new URL('../../../../infra/app.ts', import.meta.url).pathname;

/** Synthesizes the stack that is deployed, for these settings of the context. */
export function synthesizeStack(context: object, directory: string): void {
  execFileSync(process.execPath, [APP], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      CDK_OUTDIR: directory,
      CDK_CONTEXT_JSON: JSON.stringify({ 'customers-functions': context }),
    },
  });
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
  const file = readdirSync(directory).find((name) => name.endsWith('.template.json')) ?? '';
  const path = join(directory, file);
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

const VariablesSchema = v.object({ Variables: v.record(v.string(), v.unknown()) });

/** Lambda's longest: the sweep must have time left by its own late clock. */
const LONGEST_TIMEOUT_SECONDS = 900;

/**
 * A copy of an assembly whose sweep runs this much later, below 15 minutes: it waits for minutes before it
 * believes in a loss.
 */
export function copyWithLateSweep(assembly: string, directory: string, laterMs: number): void {
  cpSync(assembly, directory, { recursive: true });
  const file = join(directory, 'later.mjs');
  writeFileSync(file, `const now = Date.now;\nDate.now = () => now() + ${laterMs};\n`);
  changeTemplate(directory, 'AWS::Lambda::Function', 'CustomersSweep', (properties) => {
    const { Variables } = v.parse(VariablesSchema, properties['Environment']);
    const NODE_OPTIONS = `--import=${file}`;
    const Environment = { Variables: { ...Variables, NODE_OPTIONS } };
    return { ...properties, Environment, Timeout: LONGEST_TIMEOUT_SECONDS };
  });
}

/** A copy of an assembly in which nothing feeds the worker: its messages stay until somebody takes them. */
export function copyWithoutMapping(assembly: string, directory: string): void {
  cpSync(assembly, directory, { recursive: true });
  const type = 'AWS::Lambda::EventSourceMapping';
  changeTemplate(directory, type, 'CustomersRunExport', () => undefined);
}
