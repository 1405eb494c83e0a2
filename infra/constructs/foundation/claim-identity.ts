import { Stack, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { SettingError } from '../../../lib/errors.ts';

/** What belongs to one integration of an account and region alone. */
export interface Identity {
  readonly integrationId: string;
  readonly secretPrefix: string;
  readonly bucket: string | undefined;
  readonly table: string | undefined;
  /** Whether another integration may read the same secrets. */
  readonly sharesSecrets: boolean;
}

const identities = new WeakMap<IConstruct, Identity>();

/**
 * Keeps the integrations of one app apart: those in one stack, and those in one account and region where the app names
 * these.
 *
 * @throws SettingError naming the prop that another integration has with the same value.
 */
export function claimIdentity(integration: IConstruct, claim: Identity): void {
  for (const other of integration.node.root.node.findAll()) {
    const taken = identities.get(other);
    if (taken === undefined || !isSamePlace(other, integration)) continue;
    for (const [prop, why] of Object.entries(conflictsOf(claim, taken))) {
      if (why !== false) throw new SettingError(prop, `${why} (${other.node.path})`);
    }
  }
  identities.set(integration, claim);
}

function conflictsOf(claim: Identity, taken: Identity) {
  const [prefix, other] = [claim.secretPrefix, taken.secretPrefix];
  const isNested = prefix.startsWith(other) || other.startsWith(prefix);
  return {
    integrationId:
      claim.integrationId === taken.integrationId &&
      `expected one of its own, since events are for the integration that they name: ${claim.integrationId} is that of another integration`,
    secretPrefix:
      isNested &&
      !claim.sharesSecrets &&
      !taken.sharesSecrets &&
      `expected one of its own, or sharesSecrets: true where that is meant, since neither would know what the API asked the other to wait: ${prefix} has secrets in common with ${other} of another integration`,
    bucket:
      claim.bucket !== undefined &&
      claim.bucket === taken.bucket &&
      'expected one of its own, since connections of the same name would write the same objects: it is that of another integration',
    table:
      claim.table !== undefined &&
      claim.table === taken.table &&
      'expected one of its own, since connections of the same name would be one: it is that of another integration',
  };
}

function isSamePlace(one: IConstruct, other: IConstruct): boolean {
  const [a, b] = [Stack.of(one), Stack.of(other)];
  const isKnown = [a.account, a.region].every((each) => !Token.isUnresolved(each));
  return rootOf(a) === rootOf(b) || (isKnown && a.account === b.account && a.region === b.region);
}

/** A nested stack is deployed with the one around it. */
function rootOf(stack: Stack): Stack {
  return stack.nestedStackParent === undefined ? stack : rootOf(stack.nestedStackParent);
}
