/** Where a stack runs: what the pseudo parameters and ARNs say. */
export interface Place {
  readonly stackName: string;
  readonly accountId: string;
  readonly region: string;
  /** The AWS endpoint of this machine, `http://127.0.0.1:PORT`; queue URLs begin with it. */
  readonly endpointUrl: string;
  /** Where the HTTP API of the stack is served; `undefined` for a stack without one. */
  readonly httpApiUrl?: string | undefined;
}
