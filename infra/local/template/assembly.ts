import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { SettingError } from '../../../lib/errors.ts';
import { recordOf } from '../../../lib/record-of.ts';
import { parseBorder } from './parse-border.ts';
import { type Template, templateSchema } from './template.ts';

/** One stack of a synthesized CDK app (a cloud assembly, `cdk.out`). */
export interface StackAssembly {
  readonly stackName: string;
  readonly template: Template;
  /** The region the app binds the stack to; `undefined` for an environment-agnostic stack. */
  readonly region: string | undefined;
  /** The account the app binds the stack to; `undefined` for an environment-agnostic stack. */
  readonly accountId: string | undefined;
  /** Object key in the asset bucket (`Code.S3Key`) to the directory with the function's files. */
  readonly assetDirectories: ReadonlyMap<string, string>;
}

const manifestSchema = v.object({
  artifacts: recordOf(
    v.string(),
    v.object({
      type: v.string(),
      environment: v.optional(v.string()),
      properties: v.optional(recordOf(v.string(), v.unknown()), {}),
    }),
  ),
});

const stackPropertiesSchema = v.object({
  templateFile: v.string(),
  stackName: v.optional(v.string()),
});

const assetsSchema = v.object({
  files: v.optional(
    recordOf(
      v.string(),
      v.object({
        source: v.object({ path: v.optional(v.string()) }),
        destinations: recordOf(v.string(), v.object({ objectKey: v.string() })),
      }),
    ),
    {},
  ),
});

/**
 * Reads the one stack of a cloud assembly directory.
 *
 * @throws SettingError naming the file that is missing or has another shape.
 */
export function readAssembly(directory: string): StackAssembly {
  const manifest = readJson(directory, 'manifest.json', manifestSchema);
  const stacks = Object.entries(manifest.artifacts).filter(
    ([, { type }]) => type === 'aws:cloudformation:stack',
  );
  const [stack] = stacks;
  if (stack === undefined || stacks.length > 1) {
    const names = stacks.map(([id]) => id).join(', ') || 'none';
    throw new SettingError('assembly', `one stack expected in ${directory}, got ${names}`);
  }
  const [artifactId, artifact] = stack;
  const properties = parseBorder(
    stackPropertiesSchema,
    artifact.properties,
    `manifest.json, ${artifactId}`,
  );
  const template = readJson(directory, properties.templateFile, templateSchema);
  const [, accountId, region] = /^aws:\/\/([^/]+)\/(.+)$/.exec(artifact.environment ?? '') ?? [];
  return {
    stackName: properties.stackName ?? artifactId,
    template,
    region: region === 'unknown-region' ? undefined : region,
    accountId: accountId === 'unknown-account' ? undefined : accountId,
    assetDirectories: assetDirectoriesOf(directory, `${artifactId}.assets.json`),
  };
}

function assetDirectoriesOf(directory: string, file: string): ReadonlyMap<string, string> {
  const directories = new Map<string, string>();
  if (!existsSync(join(directory, file))) return directories;
  for (const { source, destinations } of Object.values(
    readJson(directory, file, assetsSchema).files,
  )) {
    if (source.path === undefined) continue;
    const path = join(directory, source.path);
    if (!existsSync(path) || !statSync(path).isDirectory()) continue;
    for (const { objectKey } of Object.values(destinations)) directories.set(objectKey, path);
  }
  return directories;
}

function readJson<const Schema extends v.GenericSchema>(
  directory: string,
  file: string,
  schema: Schema,
): v.InferOutput<Schema> {
  const path = join(directory, file);
  if (!existsSync(path)) {
    throw new SettingError('assembly', `${path} is missing: synthesize the app first (cdk synth)`);
  }
  const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
  return parseBorder(schema, content, path);
}
