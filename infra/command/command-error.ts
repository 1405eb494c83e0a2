/** What was asked for could not be done. The message says why, and what helps, in one or few lines for a person. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code = 'COMMAND_FAILED';
  /** Whether the same may work a little later. */
  readonly isPassing: boolean;

  constructor(message: string, { isPassing = false }: { readonly isPassing?: boolean } = {}) {
    super(message);
    this.isPassing = isPassing;
  }
}
