import { HttpApis } from './http/http-api.ts';
import type { LocalAccount } from './local-account.ts';
import type { Making } from './resource-type.ts';
import { knownTypeOf } from './resource-types.ts';
import { systemClock } from './services/scheduler/schedules.ts';
import type { StackScope } from './template/stack-scope.ts';

/** The resources of a stack, made and taken back as CloudFormation does it. */
export class StackResources {
  readonly #scope: StackScope;
  readonly #account: LocalAccount;
  /** Logical ids of what is there, in the order in which it was made. */
  #made: readonly string[] = [];

  constructor(scope: StackScope, account: LocalAccount) {
    this.#scope = scope;
    this.#account = account;
  }

  /**
   * Makes every resource, each after the ones it refers to. When one cannot be made, those before it are taken back, but
   * for what the template retains in this case too.
   *
   * @returns What begins to run once every resource is there.
   * @throws SettingError naming the logical id, the type and what cannot be run.
   */
  async make(assetDirectories: Making['assetDirectories']): Promise<Making> {
    const { engines, workDirectory } = this.#account;
    const making: Making = {
      assetDirectories,
      workDirectory,
      engines,
      httpApis: new HttpApis(),
      startedMs: systemClock.nowMs(),
      visibilitySeconds: new Map(),
      mappings: [],
      occurrences: [],
    };
    try {
      for (const id of this.#scope.order) await this.#makeOne(id, making);
      return making;
    } catch (error) {
      await this.#takeBack('rolled back');
      throw error;
    }
  }

  /**
   * Takes back what the template does not retain, each resource before those that it refers to.
   *
   * @throws SettingError naming what cannot be deleted, such as a bucket with objects.
   */
  remove(): Promise<void> {
    return this.#takeBack('deleted');
  }

  async #makeOne(id: string, making: Making): Promise<void> {
    const scope = this.#scope;
    const { make } = knownTypeOf(scope.typeOf(id), id);
    this.#account.names.take(scope, id);
    try {
      await make?.(id, scope.identityOf(id), scope.propertiesOf(id), making);
    } catch (error) {
      // What could not be made is not deleted: of that name may be what somebody else has.
      this.#account.names.release(scope, id);
      throw error;
    }
    this.#made = [...this.#made, id];
  }

  async #takeBack(end: 'deleted' | 'rolled back'): Promise<void> {
    const { engines, names } = this.#account;
    for (const id of this.#made.toReversed()) {
      if (this.#scope.stays(id, end)) continue;
      const { name, arn = '' } = this.#scope.identityOf(id);
      const { remove } = knownTypeOf(this.#scope.typeOf(id), id);
      await remove?.({ name, arn }, engines);
      names.release(this.#scope, id);
    }
    this.#made = [];
  }
}
