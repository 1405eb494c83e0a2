import { SettingError } from '../../../lib/errors.ts';

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
