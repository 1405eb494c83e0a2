import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';

const CdkJsonSchema = v.object({ context: v.record(v.string(), v.unknown()) });

/** The feature flags of the CDK that are set where the stack is deployed from. */
export function flagsOfCdkJson(): Readonly<Record<string, unknown>> {
  const path = join(import.meta.dirname, '../../cdk.json');
  const { context } = v.parse(CdkJsonSchema, JSON.parse(readFileSync(path, 'utf8')));
  return Object.fromEntries(
    Object.entries(context).filter(([name]) => name.startsWith('@aws-cdk')),
  );
}
