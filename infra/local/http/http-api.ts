import { SettingError } from '../../../lib/errors.ts';
import type { FunctionDefinition } from '../lambda/function-definition.ts';
import type { RouteKey } from './match-route.ts';

/** An HTTP API as the template declares it. */
export interface HttpApiDefinition {
  readonly logicalId: string;
  readonly apiId: string;
  readonly routes: readonly HttpRoute[];
  /** `undefined`: as often as anyone likes. */
  readonly throttle: Throttle | undefined;
}

interface Throttle {
  readonly ratePerSecond: number;
  readonly burst: number;
}

export interface HttpRoute extends RouteKey, Integration {
  readonly authorization: 'AWS_IAM' | 'JWT';
}

interface Integration {
  readonly function: FunctionDefinition;
  readonly timeoutMs: number;
}

type Api = Pick<HttpApiDefinition, 'logicalId' | 'apiId'>;

/** Collects the parts of one HTTP API as the resources of its stack are made. */
class HttpApiParts {
  readonly #integrations = new Map<string, Integration>();
  readonly #routes: HttpRoute[] = [];
  readonly #api: Api;
  #stage: { readonly throttle: Throttle | undefined } | undefined;

  constructor(api: Api) {
    this.#api = api;
  }

  addStage(throttle: Throttle | undefined): void {
    this.#stage = { throttle };
  }

  addIntegration(id: string, integration: Integration): void {
    this.#integrations.set(id, integration);
  }

  integration(id: string): Integration | undefined {
    return this.#integrations.get(id);
  }

  addRoute(route: HttpRoute): void {
    this.#routes.push(route);
  }

  /** @throws SettingError when the API has no stage. */
  whole(): HttpApiDefinition {
    if (this.#stage === undefined) {
      const place = `${this.#api.logicalId} (AWS::ApiGatewayV2::Api)`;
      throw new SettingError(place, 'it has no stage, so nobody reaches it');
    }
    return { ...this.#api, ...this.#stage, routes: this.#routes };
  }
}

export class HttpApis {
  readonly #parts = new Map<string, HttpApiParts>();

  add(api: Api): void {
    this.#parts.set(api.apiId, new HttpApiParts(api));
  }

  /**
   * @param place Of the resource that is a part of it.
   * @throws SettingError naming the place when there is no such API.
   */
  of(apiId: string, place: string): HttpApiParts {
    const parts = this.#parts.get(apiId);
    if (parts !== undefined) return parts;
    throw new SettingError(place, `there is no HTTP API ${apiId} in the stack`);
  }

  /** @throws SettingError naming an API without a stage. */
  all(): readonly HttpApiDefinition[] {
    return [...this.#parts.values()].map((parts) => parts.whole());
  }
}
