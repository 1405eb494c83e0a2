import { Stack, Token, TokenComparison } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { SettingError } from '../../../lib/errors.ts';

/**
 * What only the deployment knows passes.
 *
 * @param prop Names in the error what is elsewhere.
 * @param places Of it, the first one that is known counts.
 * @throws SettingError when it is in another account, or region, than the integration.
 */
export function requirePlace(
  integration: IConstruct,
  kind: 'account' | 'region',
  prop: string,
  places: readonly (string | undefined)[],
): void {
  const wanted = Stack.of(integration)[kind];
  const place = places.find((each = '') => each !== '' && !Token.isUnresolved(each)) ?? wanted;
  if (Token.compareStrings(place, wanted) !== TokenComparison.DIFFERENT) return;
  throw new SettingError(prop, `expected one in the ${kind} of the stack, ${wanted}, got ${place}`);
}
