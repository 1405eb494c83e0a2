import { Aspects, CfnResource, type IAspect } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import * as v from 'valibot';

const RulesSchema = v.fallback(
  v.object({ rules_to_suppress: v.array(v.looseObject({ id: v.string() })) }),
  { rules_to_suppress: [] },
);

/** Of a rule that tells its findings apart, such as `AwsSolutions-IAM5[Resource::*]`. */
const WITH_FINDING = /^(?<rule>[^[]+)\[(?<finding>.*)\]$/s;

/**
 * Tells cdk-nag 2 why a finding is acceptable: it reads reasons in the metadata of the resource itself, which are
 * deployed too, so they are there only where one of its packs looks on.
 */
export class Nag2Reason implements IAspect {
  readonly #reason: object;

  constructor(id: string, reason: string) {
    const { rule, finding } = WITH_FINDING.exec(id)?.groups ?? {};
    this.#reason =
      rule === undefined ? { id, reason } : { id: rule, reason, applies_to: [finding] };
  }

  visit(node: IConstruct): void {
    if (!CfnResource.isCfnResource(node) || !isSeenByNag2(node)) return;
    const { rules_to_suppress } = v.parse(RulesSchema, node.getMetadata('cdk_nag'));
    node.addMetadata('cdk_nag', { rules_to_suppress: [...rules_to_suppress, this.#reason] });
  }
}

/** The packs of cdk-nag 2 are aspects with this member; those of cdk-nag 3 are no aspects. */
function isSeenByNag2({ node }: IConstruct): boolean {
  const isPack = (aspect: IAspect) => 'readPackName' in aspect;
  return node.scopes.some((scope) => Aspects.of(scope).all.some(isPack));
}
