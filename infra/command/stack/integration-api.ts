/** What a deployed integration is asked for, in the routes of its HTTP API. */
export interface IntegrationApi {
  /**
   * Asks for one route.
   *
   * @param path Below `/connections/{connection}`, each segment as it is.
   * @returns The JSON text of the answer, as it came.
   * @throws CommandError with what is wrong.
   */
  ask(connection: string, path: readonly string[], question?: Question): Promise<string>;
}

export interface Question {
  readonly method?: 'GET' | 'POST';
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}
