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

export interface Throttle {
  readonly ratePerSecond: number;
  readonly burst: number;
}

export interface HttpRoute extends RouteKey, Integration {
  readonly authorization: 'AWS_IAM' | 'JWT';
}

export interface Integration {
  readonly function: FunctionDefinition;
  readonly timeoutMs: number;
}

/** Collects the parts of the one HTTP API that a stack may have, as its resources are made. */
export class HttpApiParts {
  readonly #integrations = new Map<string, Integration>();
  readonly #routes: HttpRoute[] = [];
  #api: { readonly logicalId: string; readonly apiId: string } | undefined;
  #stage: { readonly throttle: Throttle | undefined } | undefined;

  addApi(logicalId: string, apiId: string): void {
    this.#api = { logicalId, apiId };
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
  whole(): HttpApiDefinition | undefined {
    if (this.#api === undefined) return undefined;
    if (this.#stage === undefined) {
      const place = `${this.#api.logicalId} (AWS::ApiGatewayV2::Api)`;
      throw new SettingError(place, 'it has no stage, so nobody reaches it');
    }
    return { ...this.#api, ...this.#stage, routes: this.#routes };
  }
}
