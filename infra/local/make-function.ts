import { randomBytes } from 'node:crypto';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type * as v from 'valibot';
import { SettingError } from '../../lib/errors.ts';
import type { FunctionDefinition } from './lambda/function-definition.ts';
import type { ResourceIdentity } from './template/made-resources.ts';
import type { functionSchema } from './template/resource-schemas.ts';

type FunctionProperties = v.InferOutput<typeof functionSchema>;

/** Where a function's files come from and go to. */
export interface FunctionFiles {
  readonly assetDirectories: ReadonlyMap<string, string>;
  /** A directory of this run alone. */
  readonly workDirectory: string;
}

/**
 * Makes an `AWS::Lambda::Function`. Its files are copied away from the project: a module that was left
 * out of the bundle is missing here too, and no `package.json` above changes how files are read.
 *
 * @throws SettingError when the template's asset is not in the assembly.
 */
export async function makeFunction(
  logicalId: string,
  { name, arn = '' }: ResourceIdentity,
  properties: FunctionProperties,
  files: FunctionFiles,
): Promise<FunctionDefinition> {
  const taskRoot = join(files.workDirectory, 'functions', name);
  await mkdir(taskRoot, { recursive: true });
  await copyCode(logicalId, properties.Code, taskRoot, files);
  const { LoggingConfig } = properties;
  return {
    logicalId,
    name,
    arn,
    taskRoot,
    handler: properties.Handler,
    variables: properties.Environment?.Variables ?? {},
    memoryMb: properties.MemorySize,
    timeoutSeconds: properties.Timeout,
    reservedConcurrency: properties.ReservedConcurrentExecutions,
    logFormat: LoggingConfig?.LogFormat ?? 'Text',
    logLevel: LoggingConfig?.ApplicationLogLevel,
    logGroup: LoggingConfig?.LogGroup ?? `/aws/lambda/${name}`,
    deadLetterArn: properties.DeadLetterConfig?.TargetArn,
    accessKeyId: `LOCAL${randomBytes(8).toString('hex').toUpperCase()}`,
  };
}

async function copyCode(
  logicalId: string,
  code: FunctionProperties['Code'],
  taskRoot: string,
  { assetDirectories }: FunctionFiles,
): Promise<void> {
  if ('ZipFile' in code) {
    await writeFile(join(taskRoot, 'index.js'), code.ZipFile);
    return;
  }
  const directory = assetDirectories.get(code.S3Key);
  if (directory === undefined) {
    throw new SettingError(
      `${logicalId} (AWS::Lambda::Function)`,
      `its code ${code.S3Key} is no directory of the assembly: bundle it with the stack`,
    );
  }
  await cp(directory, taskRoot, { recursive: true });
}
