/** Where a stack runs: what the pseudo parameters and ARNs say. */
export interface Place {
  readonly stackName: string;
  readonly accountId: string;
  readonly region: string;
  /** The AWS endpoint of this machine, `http://127.0.0.1:PORT`; queue URLs begin with it. */
  readonly endpointUrl: string;
  /** Where each HTTP API of the stack is served, by its physical name. */
  readonly httpApiUrls?: Readonly<Record<string, string>>;
}
