import type { Engines } from './engines.ts';
import { HttpApiParts } from './http/http-api.ts';
import type { Making } from './resource-type.ts';
import { knownTypeOf } from './resource-types.ts';
import { systemClock } from './services/scheduler/schedules.ts';
import type { StackScope } from './template/stack-scope.ts';

/**
 * Makes every resource of a template, each after the ones it refers to.
 *
 * @returns What begins to run once every resource is there.
 * @throws SettingError naming the logical id, the type and what cannot be run.
 */
export async function makeResources(
  scope: StackScope,
  engines: Engines,
  files: Pick<Making, 'assetDirectories' | 'workDirectory'>,
): Promise<Making> {
  const making: Making = {
    ...files,
    engines,
    httpApi: new HttpApiParts(),
    startedMs: systemClock.nowMs(),
    visibilitySeconds: new Map(),
    mappings: [],
    occurrences: [],
  };
  for (const id of scope.order) {
    const { make } = knownTypeOf(scope.typeOf(id), id);
    await make?.(id, scope.identityOf(id), scope.propertiesOf(id), making);
  }
  return making;
}
