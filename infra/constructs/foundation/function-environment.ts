import { Stack } from 'aws-cdk-lib';
import { CfnFunction, type Function as OwnFunction } from 'aws-cdk-lib/aws-lambda';
import * as v from 'valibot';
import { SettingError } from '../../../lib/errors.ts';
import { recordOf } from '../../../lib/record-of.ts';

/** Lambda's limit for all variables of a function. */
const MAX_BYTES = 4_096;

/** Text of the CDK in place of what only the deployment knows: names, URLs and ARNs, seldom longer than this. */
const REFERENCE = /\$\{Token\[[^\]]*\]\}/g;
const REFERENCED = 'x'.repeat(120);

/**
 * Lambda measures the variables as one JSON text (the "String measured" of its error), so each quote in the settings of
 * connections counts twice.
 *
 * @param file Names the function.
 * @throws SettingError when they are too long.
 */
export function checkedEnvironment(
  file: string,
  environment: Readonly<Record<string, string>>,
): Record<string, string> {
  const measured = JSON.stringify(environment).replace(REFERENCE, REFERENCED);
  const bytes = Buffer.byteLength(measured);
  if (bytes > MAX_BYTES) {
    throw new SettingError(
      'connections',
      `with the settings and schedules of connections the function ${file} needs ${bytes} bytes, and ${MAX_BYTES} fit into the environment of a function. Set what is the same for all of them once, above connections, or deploy a second stack`,
    );
  }
  return { ...environment };
}

const JoinSchema = v.object({ 'Fn::Join': v.tuple([v.string(), v.array(v.unknown())]) });

/** The text without what only the deployment fills in. */
function knownText(resolved: unknown): string {
  if (typeof resolved === 'string') return resolved;
  if (!v.is(JoinSchema, resolved)) return '';
  const [separator, parts] = resolved['Fn::Join'];
  return parts.map(knownText).join(separator);
}

const EnvironmentSchema = v.object({ variables: recordOf(v.string(), v.unknown()) });

/**
 * For a function of the user's own, whose other variables are not ours to estimate: only what is certain counts.
 *
 * @returns What is wrong, for the CDK's validation of the stack.
 */
export function environmentProblems(own: OwnFunction): string[] {
  const { defaultChild } = own.node;
  if (!(defaultChild instanceof CfnFunction)) return [];
  const resolved: unknown = Stack.of(own).resolve(defaultChild.environment);
  const { success, output } = v.safeParse(EnvironmentSchema, resolved);
  if (!success) return [];
  const known = Object.entries(output.variables).map(([name, text]) => [name, knownText(text)]);
  const bytes = Buffer.byteLength(JSON.stringify(Object.fromEntries(known)));
  if (bytes <= MAX_BYTES) return [];
  return [
    `connections: with their settings, which grantClient gives it, the function needs at least ${bytes} bytes, and ${MAX_BYTES} fit into the environment of a function. Name in grantClient only the connections that it uses, or set what is the same for all of them once, in defaults`,
  ];
}
