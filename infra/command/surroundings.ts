export interface OutputStream {
  readonly isTTY?: boolean | undefined;
  /** Characters in a line of the terminal. */
  readonly columns?: number | undefined;
  /**
   * @param taken Is called when it has been taken, or with an error when it can be taken no more.
   * @returns False when it has to wait for that.
   */
  write(text: string, taken?: (error?: Error | null) => void): unknown;
}

/** What a command finds around it; a test gives it others. */
export interface Surroundings {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C. */
  readonly interrupt: AbortController;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  /** Settles after so many milliseconds, or when the call is interrupted. */
  readonly wait: (ms: number) => Promise<void>;
}
