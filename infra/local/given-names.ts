import { SettingError } from '../../lib/errors.ts';
import { resolve, type TemplateScope } from './template/intrinsics.ts';
import type { Template } from './template/template.ts';

/** Where a template may give a name that an account and region have once. Other types take no name here. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  'AWS::CloudWatch::Dashboard': ['DashboardName'],
  'AWS::Glue::Database': ['DatabaseInput', 'Name'],
  'AWS::Logs::QueryDefinition': ['Name'],
  'AWS::Scheduler::ScheduleGroup': ['Name'],
};

/** A name that the template gives to a resource. */
interface GivenName {
  readonly logicalId: string;
  /** The type and the name. */
  readonly key: string;
  readonly isRetained: boolean;
}

/** The names in use of an account and region, as far as templates give them. */
export class GivenNames {
  readonly #taken = new Set<string>();

  /**
   * @returns Gives the names free that the stack does not retain.
   * @throws SettingError naming the resource whose name is in use; then none is taken.
   */
  take(template: Template, scope: TemplateScope): () => void {
    const given = namesIn(template, scope);
    for (const { logicalId, key } of given) {
      if (this.#taken.has(key)) throw new SettingError(logicalId, `${key} already exists`);
    }
    for (const { key } of given) this.#taken.add(key);
    return () => {
      for (const { key, isRetained } of given) if (!isRetained) this.#taken.delete(key);
    };
  }
}

function namesIn({ Resources }: Template, scope: TemplateScope): readonly GivenName[] {
  return Object.entries(Resources).flatMap(([logicalId, { Type, Properties, DeletionPolicy }]) => {
    const path = PATHS[Type];
    if (path === undefined) return [];
    const name = resolve(
      path.reduce<unknown>((value, key) => Object(value)[key], Properties),
      scope,
    );
    const isRetained = DeletionPolicy?.startsWith('Retain') ?? false;
    return [{ logicalId, key: `${Type} ${String(name)}`, isRetained }];
  });
}
