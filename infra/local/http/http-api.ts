import { SettingError } from '../../../lib/errors.ts';
import type { FunctionDefinition } from '../lambda/function-definition.ts';

/** An HTTP API, to which the resources of the template add its parts. */
export interface HttpApi {
  readonly logicalId: string;
  readonly apiId: string;
  readonly integrations: Map<string, Integration>;
  readonly routes: HttpRoute[];
  /** Without one nobody reaches it. */
  stage?: Stage;
}

interface Stage {
  /** `undefined`: as often as anyone likes. */
  readonly throttle: { readonly ratePerSecond: number; readonly burst: number } | undefined;
}

export interface HttpRoute extends Integration {
  /** As the template has it, such as `GET /connections/{connection}/exports`. */
  readonly routeKey: string;
  /** `ANY` for every method that has no route of its own. */
  readonly method: string;
  readonly path: string;
  readonly authorization: 'AWS_IAM' | 'JWT';
}

interface Integration {
  readonly function: FunctionDefinition;
  readonly timeoutMs: number;
}

export class HttpApis {
  readonly #apis = new Map<string, HttpApi>();

  add(logicalId: string, apiId: string): void {
    this.#apis.set(apiId, { logicalId, apiId, integrations: new Map(), routes: [] });
  }

  /**
   * @param place Of the resource that is a part of it.
   * @throws SettingError naming the place when there is no such API.
   */
  of(apiId: string, place: string): HttpApi {
    const api = this.#apis.get(apiId);
    if (api !== undefined) return api;
    throw new SettingError(place, `there is no HTTP API ${apiId} in the stack`);
  }

  /** Those that can be reached. */
  all(): readonly HttpApi[] {
    return [...this.#apis.values()].filter(({ stage }) => stage !== undefined);
  }
}
