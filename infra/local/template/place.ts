/** An account and region on this machine: what pseudo parameters and ARNs say. */
export interface AccountPlace {
  readonly accountId: string;
  readonly region: string;
  /** The AWS endpoint of this machine, `http://127.0.0.1:PORT`; queue URLs begin with it. */
  readonly endpointUrl: string;
}

export interface Place extends AccountPlace {
  /** Begins the names that CloudFormation makes. */
  readonly namePrefix: string;
  /** Where each HTTP API of the stack is served, by its logical id. @default none is */
  readonly httpApiUrls?: ReadonlyMap<string, string>;
}

export interface ResourcePlace extends Place {
  /** Where it is served; `undefined` for all but an HTTP API. */
  readonly httpApiUrl: string | undefined;
}
