import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { CACHE_DIRECTORY } from '../../../../infra/local/cache-directory.ts';
import { ASSEMBLY_CACHE, keptAssembly } from '../../../../infra/local/start/kept-assembly.ts';
import { synthesize } from '../../../../infra/local/start/synthesize.ts';

/** Of the tests, so that none takes the place of one that `npm start` may need. */
const CACHE = { ...ASSEMBLY_CACHE, directory: join(CACHE_DIRECTORY, 'test-assemblies') };
/** Addresses of simulators, whose ports are others each time. */
const ADDRESS = /https:\/\/(?:localhost|127\.0\.0\.1):\d+/g;

/**
 * Puts the stack that is deployed into a folder, for these settings of the context. It is synthesized once
 * for settings and sources, whatever the addresses of the APIs are.
 */
export async function synthesizeStack(context: object, directory: string): Promise<void> {
  const text = JSON.stringify(context);
  const addresses = [...new Set(text.match(ADDRESS))];
  const nameOf = (address: string) => `https://api-${addresses.indexOf(address)}.invalid`;
  const settings: object = JSON.parse(text.replaceAll(ADDRESS, nameOf));
  const kept = await keptAssembly(CACHE, settings, (empty) =>
    synthesize(settings, empty, new AbortController().signal),
  );
  cpSync(kept, directory, { recursive: true });
  const template = templatePath(directory);
  const named = readFileSync(template, 'utf8');
  writeFileSync(
    template,
    addresses.reduce((made, address) => made.replaceAll(nameOf(address), address), named),
  );
}

/** Runs an app of the tests, which synthesizes into the folder that it is given; once for its text and the sources. */
export async function runApp(
  file: string,
  args: readonly string[],
  directory: string,
): Promise<void> {
  const kept = await keptAssembly(CACHE, [readFileSync(file, 'utf8'), args], (empty) => {
    execFileSync(process.execPath, [file, empty, ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return Promise.resolve();
  });
  cpSync(kept, directory, { recursive: true });
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
