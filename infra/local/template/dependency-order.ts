import { SettingError } from '../../../lib/errors.ts';
import type { TemplateResource } from './template.ts';

type Resources = Readonly<Record<string, TemplateResource>>;

/**
 * Logical ids, each after the ones it refers to (`Ref`, `Fn::GetAtt`, `DependsOn`).
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
