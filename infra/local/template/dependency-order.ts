import { SettingError } from '../../../lib/errors.ts';
import type { TemplateResource } from './template.ts';

type Resources = Readonly<Record<string, TemplateResource>>;

/**
 * Logical ids, each after the ones it refers to (`Ref`, `Fn::GetAtt`, `Fn::Sub`, `DependsOn`).
 *
 * @throws SettingError naming the circle when there is none, as CloudFormation refuses such a template.
 */
export function dependencyOrder(resources: Resources): readonly string[] {
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
  return [...found].filter((name) => name in resources);
}

function collect(value: unknown, found: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (key === 'Ref' && typeof member === 'string') found.add(member);
    if (key === 'Fn::GetAtt')
      found.add(String(Array.isArray(member) ? member[0] : member).split('.', 1)[0] ?? '');
    if (key === 'Fn::Sub') collectSubstitutions(member, found);
    collect(member, found);
  }
}

function collectSubstitutions(argument: unknown, found: Set<string>): void {
  const template: unknown = Array.isArray(argument) ? argument[0] : argument;
  for (const [, name = ''] of String(template).matchAll(/\$\{([^!}][^}]*)\}/g)) {
    found.add(name.trim().split('.', 1)[0] ?? '');
  }
}
