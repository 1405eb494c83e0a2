/** The stack has no connection of the name that came with the event. What came is not repeated. */
export class UnknownConnectionError extends Error {
  override readonly name = 'UnknownConnectionError';
  readonly code = 'UNKNOWN_CONNECTION';

  constructor() {
    super(
      'connection: expected the name of a connection of this stack. A connection is there as soon as its key is stored.',
    );
  }
}
