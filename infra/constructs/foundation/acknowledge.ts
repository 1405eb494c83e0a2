import * as cdk from 'aws-cdk-lib';
import { AspectPriority, Aspects, CfnResource, type IAspect, Stack } from 'aws-cdk-lib';
import { PolicyStatement, type PolicyStatementProps } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import * as v from 'valibot';

/** Older versions of the CDK, for which there is only cdk-nag 2, do not have it. */
const { Validations }: Partial<Pick<typeof cdk, 'Validations'>> = cdk;

/** Records why a finding of a cdk-nag rule is acceptable, for this construct and its children. */
export function acknowledge(construct: IConstruct, id: string, reason: string): void {
  acknowledgeAll(construct, () => [id], reason);
}

/** @param ids As they are worded when it is called. */
function acknowledgeAll(construct: IConstruct, ids: () => readonly string[], reason: string): void {
  const acknowledged = new Set<string>();
  const record = () => {
    for (const id of ids()) {
      if (!acknowledged.has(id)) Validations?.of(construct).acknowledge({ id, reason });
      acknowledged.add(id);
    }
    return [];
  };
  record();
  // By then, and before cdk-nag 3 looks, the CDK has put imports and parameters in place of what is in another stack.
  construct.node.addValidation({ validate: record });
  // Before the packs of cdk-nag 2 look.
  const priority = AspectPriority.MUTATING;
  Aspects.of(construct).add(new Nag2Reasons(ids, reason), { priority });
}

/** A statement with a wildcard in its resources, and why the resources cannot be named. */
export class WildcardStatement extends PolicyStatement {
  readonly reason: string;

  constructor(props: PolicyStatementProps, reason: string) {
    super(props);
    this.reason = reason;
  }

  /** @param holder The role that holds the statement, or a construct around it. */
  acknowledgeIn(holder: IConstruct): void {
    const found = () => this.resources.map((arn) => asFound(Stack.of(holder).resolve(arn)));
    const ids = () => found().map((text) => `AwsSolutions-IAM5[Resource::${text}]`);
    acknowledgeAll(holder, () => ids().filter((id) => id.includes('*')), this.reason);
  }
}

/** An ARN as the rule writes it (`flattenCfnReference` of cdk-nag). */
function asFound(value: unknown): string {
  if (typeof value === 'string') return value.replaceAll('${', '<').replaceAll('}', '>');
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': join, ...others } = Object(value);
  if (Ref !== undefined) return `<${Ref}>`;
  if (attribute !== undefined) return `<${attribute.join('.')}>`;
  if (join !== undefined) return join[1].map(asFound).join(join[0]);
  const inside = others['Fn::Sub'] ?? others['Fn::ImportValue'];
  return inside === undefined ? JSON.stringify(value) : asFound(inside);
}

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
class Nag2Reasons implements IAspect {
  readonly #ids: () => readonly string[];
  readonly #reason: string;

  constructor(ids: () => readonly string[], reason: string) {
    this.#ids = ids;
    this.#reason = reason;
  }

  visit(node: IConstruct): void {
    if (!CfnResource.isCfnResource(node) || !isSeenByNag2(node)) return;
    const { rules_to_suppress } = v.parse(RulesSchema, node.getMetadata('cdk_nag'));
    const own = this.#ids().map((id) => nag2Rule(id, this.#reason));
    node.addMetadata('cdk_nag', { rules_to_suppress: [...rules_to_suppress, ...own] });
  }
}

function nag2Rule(id: string, reason: string) {
  const { rule, finding } = WITH_FINDING.exec(id)?.groups ?? {};
  return rule === undefined ? { id, reason } : { id: rule, reason, applies_to: [finding] };
}

/** The packs of cdk-nag 2 are aspects with this member; those of cdk-nag 3 are no aspects. */
function isSeenByNag2({ node }: IConstruct): boolean {
  const isPack = (aspect: IAspect) => 'readPackName' in aspect;
  return node.scopes.some((scope) => Aspects.of(scope).all.some(isPack));
}
