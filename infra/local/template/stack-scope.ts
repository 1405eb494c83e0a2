import { defined } from '../../../lib/defined.ts';
import { SettingError } from '../../../lib/errors.ts';
import { dependencyOrder } from './dependency-order.ts';
import { inertResources } from './inert-resources.ts';
import { NO_VALUE, resolve, resolveCondition, type TemplateScope } from './intrinsics.ts';
import { generatedName, madeResources, type ResourceIdentity } from './made-resources.ts';
import type { Place } from './place.ts';
import type { Template, TemplateResource } from './template.ts';

/** A template in which every reference can be looked up. */
export interface StackScope {
  /** Logical ids of the resources to make, each after the ones it refers to. */
  readonly order: readonly string[];
  /** Logical ids of every resource of a type, also of one that needs nothing on this machine. */
  idsOf(type: string): readonly string[];
  typeOf(logicalId: string): string;
  /** The properties with all intrinsic functions applied. */
  propertiesOf(logicalId: string): Readonly<Record<string, unknown>>;
  identityOf(logicalId: string): ResourceIdentity;
  /** The stack's outputs; those of a false condition are left out. */
  outputs(): Readonly<Record<string, unknown>>;
}

/**
 * Resolves a template for the place where it runs.
 *
 * @param parameters Values of template parameters; a parameter without one has its `Default`.
 * @throws SettingError naming the logical id and the type of a resource that cannot be run, the circle
 *   of a circular dependency, or the reference that leads nowhere.
 */
export function stackScope(
  template: Template,
  place: Place,
  parameters: Readonly<Record<string, string>> = {},
): StackScope {
  const identities = new Map<string, ResourceIdentity>();
  const scope: TemplateScope = { ref, getAttribute, condition, findInMap };
  const resources = Object.fromEntries(
    Object.entries(template.Resources).filter(
      ([, { Condition }]) => Condition === undefined || condition(Condition),
    ),
  );
  for (const [id, { Type }] of Object.entries(resources)) refuseUnknown(id, Type);
  refuseUnknownParameters();

  return {
    order: dependencyOrder(resources).filter((id) => resourceOf(id).Type in madeResources),
    idsOf: (type) => Object.keys(resources).filter((id) => resourceOf(id).Type === type),
    typeOf: (id) => resourceOf(id).Type,
    propertiesOf,
    identityOf,
    outputs: () =>
      Object.fromEntries(
        Object.entries(template.Outputs)
          .filter(([, { Condition }]) => Condition === undefined || condition(Condition))
          .map(([name, { Value }]) => [name, resolve(Value, scope)]),
      ),
  };

  function resourceOf(id: string): TemplateResource {
    const resource = resources[id];
    if (resource !== undefined) return resource;
    throw new SettingError('template', `${id} is referred to, but there is no such resource`);
  }

  function propertiesOf(id: string): Readonly<Record<string, unknown>> {
    const { Properties } = resourceOf(id);
    return Object.fromEntries(
      Object.entries(Properties)
        .map(([key, value]) => [key, resolve(value, scope)] as const)
        .filter(([, value]) => value !== NO_VALUE),
    );
  }

  function identityOf(id: string): ResourceIdentity {
    const known = identities.get(id);
    if (known !== undefined) return known;
    const { Type, Properties } = resourceOf(id);
    const made = madeResources[Type];
    const inert = inertResources[Type];
    // Only names are resolved here: a name never depends on the resource's other properties.
    const property = (key: string) =>
      key in Properties ? resolve(Properties[key], scope) : undefined;
    const given = property(made?.nameProperty ?? inert?.nameProperty ?? '');
    const name =
      typeof given === 'string' ? given : generatedName(place.stackName, id, Type, Properties);
    const identity: ResourceIdentity = {
      type: Type,
      name,
      ...(made?.identity(name, place, {
        EventBusName: property('EventBusName'),
        GroupName: property('GroupName'),
      }) ?? inertIdentity(inert?.arn?.(name, place), name, inert?.attribute)),
    };
    identities.set(id, identity);
    return identity;
  }

  function ref(name: string): unknown {
    if (name in resources) return identityOf(name).ref;
    if (name.startsWith('AWS::')) return pseudoParameter(name, place);
    const parameter = template.Parameters[name];
    const value = parameters[name] ?? parameter?.Default;
    if (parameter === undefined || value === undefined) {
      throw new SettingError('template', `${name} is referred to, but has no value`);
    }
    return /^CommaDelimitedList$|^List</.test(parameter.Type) ? String(value).split(',') : value;
  }

  function getAttribute(id: string, attribute: string): unknown {
    const value = identityOf(id).attributes[attribute];
    if (value !== undefined) return value;
    throw new SettingError(
      `${id} (${resourceOf(id).Type})`,
      `the local stack does not know its attribute ${attribute}`,
    );
  }

  function condition(name: string): boolean {
    if (name in template.Conditions) return resolveCondition(template.Conditions[name], scope);
    throw new SettingError('template', `there is no condition ${name}`);
  }

  function findInMap(map: string, top: string, second: string): unknown {
    const value = template.Mappings[map]?.[top]?.[second];
    if (value !== undefined) return value;
    throw new SettingError('template', `Fn::FindInMap finds nothing at ${map}.${top}.${second}`);
  }

  function refuseUnknownParameters(): void {
    for (const name of Object.keys(parameters)) {
      if (name in template.Parameters) continue;
      throw new SettingError('parameters', `the template has no parameter ${name}`);
    }
  }
}

function inertIdentity(arn: string | undefined, ref: string, attribute: string | undefined) {
  return {
    arn,
    ref,
    attributes: {
      ...defined({ Arn: arn }),
      ...(attribute === undefined ? {} : { [attribute]: ref }),
    },
  };
}

function refuseUnknown(id: string, type: string): void {
  if (type in madeResources || type in inertResources) return;
  throw new SettingError(
    `${id} (${type})`,
    'the local stack does not know this resource type; it makes ' +
      `${Object.keys(madeResources).join(', ')}`,
  );
}

function pseudoParameter(name: string, { accountId, region, stackName }: Place): unknown {
  const values: Readonly<Record<string, unknown>> = {
    'AWS::AccountId': accountId,
    'AWS::Region': region,
    'AWS::Partition': 'aws',
    'AWS::StackName': stackName,
    'AWS::StackId': `arn:aws:cloudformation:${region}:${accountId}:stack/${stackName}/local`,
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::NotificationARNs': [],
    'AWS::NoValue': NO_VALUE,
  };
  if (name in values) return values[name];
  throw new SettingError('template', `the local stack does not know the pseudo parameter ${name}`);
}
