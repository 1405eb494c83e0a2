import { Token } from 'aws-cdk-lib';
import * as v from 'valibot';
import { SettingError } from '../../lib/errors.ts';
import { isJsonObject } from '../../lib/json/json-value.ts';

/** Where a token stands for what is known only when the stack is deployed. */
export const KNOWN_EXPECTED =
  'expected what is known when the app is synthesized, such as a value of its context or environment, got a token, as a CfnParameter and an attribute of another resource are';

/** The CDK gives it in place of a parameter that it has not looked up yet, and looks it up when the app has ended well. */
const PLACEHOLDER = 'dummy-value-for-';
const PLACEHOLDER_EXPECTED =
  'expected a value, got what valueFromLookup gives before the CDK has looked it up: give valueFromLookup a third argument that fits here, such as an address of the same form';

/** A schema of what has to be known when the app is synthesized, at any depth. @param place Name of the prop. */
export function known<Output>(
  schema: v.GenericSchema<unknown, Output>,
  place: string,
): v.GenericSchema<unknown, Output> {
  const check = v.transform((given: unknown) => {
    requireKnown(given, place);
    return given;
  });
  return v.pipe(v.unknown(), check, schema);
}

function requireKnown(given: unknown, place: string): void {
  if (Token.isUnresolved(given)) throw new SettingError(place, KNOWN_EXPECTED);
  if (typeof given === 'string' && given.startsWith(PLACEHOLDER)) {
    throw new SettingError(place, PLACEHOLDER_EXPECTED);
  }
  if (Array.isArray(given)) {
    for (const [index, each] of given.entries()) requireKnown(each, `${place}[${index}]`);
  }
  if (!isJsonObject(given)) return;
  for (const [name, value] of Object.entries(given)) {
    if (Token.isUnresolved(name)) throw new SettingError(place, `of a name ${KNOWN_EXPECTED}`);
    requireKnown(value, `${place}.${name}`);
  }
}
