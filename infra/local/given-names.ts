import { SettingError } from '../../lib/errors.ts';
import type { StackScope } from './template/stack-scope.ts';

/** Where a template may give a name that an account and region have once. Other types take no name here. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  'AWS::CloudWatch::Dashboard': ['DashboardName'],
  'AWS::Glue::Database': ['DatabaseInput', 'Name'],
  'AWS::Logs::QueryDefinition': ['Name'],
  'AWS::Scheduler::ScheduleGroup': ['Name'],
};

/** The names in use of an account and region, as far as templates give them. */
export class GivenNames {
  readonly #taken = new Set<string>();

  /**
   * Takes the name that a template gives to a resource, if it gives one.
   *
   * @throws SettingError naming the resource whose name is in use.
   */
  take(scope: StackScope, logicalId: string): void {
    const name = nameOf(scope, logicalId);
    if (name === undefined) return;
    if (this.#taken.has(name)) throw new SettingError(logicalId, `${name} already exists`);
    this.#taken.add(name);
  }

  release(scope: StackScope, logicalId: string): void {
    const name = nameOf(scope, logicalId);
    if (name !== undefined) this.#taken.delete(name);
  }
}

/** The type and the name. */
function nameOf(scope: StackScope, logicalId: string): string | undefined {
  const type = scope.typeOf(logicalId);
  const path = PATHS[type];
  return path && `${type} ${String(scope.propertyOf(logicalId, path))}`;
}
