import { hash } from 'node:crypto';
import { SettingError } from '../../../lib/errors.ts';
import { isJsonObject } from '../../../lib/json/json-value.ts';
import type { ResourceIdentity } from '../resource-type.ts';
import { knownTypeOf } from '../resource-types.ts';
import { resolve, type TemplateScope } from './intrinsics.ts';
import type { Place } from './place.ts';
import type { Template, TemplateResource } from './template.ts';

/** A template in which every reference can be looked up, for the place where it runs. */
export class StackScope implements TemplateScope {
  /** Logical ids of the resources, each after the ones it refers to. */
  readonly order: readonly string[];
  readonly #template: Template;
  readonly #place: Place;
  readonly #identities = new Map<string, ResourceIdentity>();

  /**
   * @throws SettingError naming the logical id and the type of a resource that cannot be run, the circle
   *   of a circular dependency, or the reference that leads nowhere.
   */
  constructor(template: Template, place: Place) {
    this.#template = template;
    this.#place = place;
    const ordered = dependencyOrder(template.Resources);
    for (const id of ordered.filter((each) => this.isMade(each) && this.#isConditional(each))) {
      const place = `${id} (${this.typeOf(id)})`;
      throw new SettingError(place, 'a resource under a condition cannot be run here');
    }
    this.order = ordered.filter((id) => !this.#isConditional(id));
  }

  /** Whether anything on this machine is made of it. */
  isMade(id: string): boolean {
    return knownTypeOf(this.typeOf(id), id).make !== undefined;
  }

  /**
   * Whether the resource is still there afterwards (CloudFormation template reference, "DeletionPolicy attribute").
   *
   * @param end The stack is deleted, or its first deployment failed and is rolled back.
   */
  stays(id: string, end: 'deleted' | 'rolled back'): boolean {
    const { DeletionPolicy = 'Delete' } = this.#resourceOf(id);
    return (
      DeletionPolicy === 'Retain' ||
      (DeletionPolicy === 'RetainExceptOnCreate' && end === 'deleted')
    );
  }

  typeOf(id: string): string {
    return this.#resourceOf(id).Type;
  }

  propertiesOf(id: string): Readonly<Record<string, unknown>> {
    const properties = resolve(this.#resourceOf(id).Properties, this);
    return isJsonObject(properties) ? properties : {};
  }

  /** One property, at a path below the properties; nothing else of them is resolved. */
  propertyOf(id: string, path: readonly string[]): unknown {
    const { Properties } = this.#resourceOf(id);
    const found = path.reduce<unknown>((value, key) => Object(value)[key], Properties);
    return found === undefined ? undefined : resolve(found, this);
  }

  identityOf(id: string): ResourceIdentity {
    const known = this.#identities.get(id);
    if (known !== undefined) return known;
    const { Type } = this.#resourceOf(id);
    const { nameProperty = '', maxNameLength = 64, identity } = knownTypeOf(Type, id);
    // Only names are resolved here: a name never depends on the resource's other properties.
    const property = (key: string) => this.propertyOf(id, [key]);
    const given = property(nameProperty);
    const { namePrefix } = this.#place;
    const name = typeof given === 'string' ? given : generatedName(namePrefix, id, maxNameLength);
    const place = { ...this.#place, httpApiUrl: this.#place.httpApiUrls?.get(id) };
    const own = identity?.(name, place, property) ?? {};
    const attributes = own.arn === undefined ? {} : { Arn: own.arn };
    const whole = { type: Type, name, ref: name, arn: undefined, attributes, ...own };
    this.#identities.set(id, whole);
    return whole;
  }

  outputs(): Readonly<Record<string, unknown>> {
    const outputs = Object.entries(this.#template.Outputs);
    return Object.fromEntries(outputs.map(([name, { Value }]) => [name, resolve(Value, this)]));
  }

  ref(name: string): string {
    return name.startsWith('AWS::')
      ? pseudoParameter(name, this.#place)
      : this.identityOf(name).ref;
  }

  getAttribute(id: string, attribute: string): string {
    const value = this.identityOf(id).attributes[attribute];
    if (value !== undefined) return value;
    throw new SettingError(
      `${id} (${this.typeOf(id)})`,
      `the local stack does not know its attribute ${attribute}`,
    );
  }

  #isConditional(id: string): boolean {
    return this.#resourceOf(id).Condition !== undefined;
  }

  #resourceOf(id: string): TemplateResource {
    const resource = this.#template.Resources[id];
    if (resource !== undefined) return resource;
    throw new SettingError('template', `${id} is referred to, but there is no such resource`);
  }
}

/** A name as CloudFormation makes one: stack, logical id, and a hash when it would be too long. */
function generatedName(prefix: string, logicalId: string, maxLength: number): string {
  const whole = `${prefix}-${logicalId}`;
  if (whole.length <= maxLength) return whole;
  return `${whole.slice(0, maxLength - 9)}-${hash('sha256', whole).slice(0, 8)}`;
}

function pseudoParameter(name: string, { accountId, region }: Place): string {
  const values: Readonly<Record<string, string>> = {
    'AWS::AccountId': accountId,
    'AWS::Region': region,
    'AWS::Partition': 'aws',
  };
  const value = values[name];
  if (value !== undefined) return value;
  throw new SettingError('template', `the local stack does not know the pseudo parameter ${name}`);
}

type Resources = Readonly<Record<string, TemplateResource>>;

/**
 * Logical ids, each after the ones it refers to (`Ref`, `Fn::GetAtt`, `DependsOn`).
 *
 * @throws SettingError naming the circle when there is none, as CloudFormation refuses such a template.
 */
function dependencyOrder(resources: Resources): readonly string[] {
  const ordered = new Set<string>();
  const visit = (id: string, path: readonly string[]) => {
    if (ordered.has(id)) return;
    if (path.includes(id)) {
      const circle = [...path.slice(path.indexOf(id)), id].join(' -> ');
      throw new SettingError('template', `circular dependency between resources: ${circle}`);
    }
    for (const dependency of dependenciesOf(id, resources)) visit(dependency, [...path, id]);
    ordered.add(id);
  };
  for (const id of Object.keys(resources)) visit(id, []);
  return [...ordered];
}

function dependenciesOf(id: string, resources: Resources): readonly string[] {
  const resource = resources[id];
  if (resource === undefined) return [];
  const found = new Set([resource.DependsOn].flat());
  collect(resource.Properties, found);
  return [...found].filter((name) => Object.hasOwn(resources, name));
}

function collect(value: unknown, found: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (key === 'Ref') found.add(String(member));
    if (key === 'Fn::GetAtt' && Array.isArray(member)) found.add(String(member[0]));
    collect(member, found);
  }
}
