/** For clients whose requests and answers are small. */
export const CLIENT_SETTINGS = {
  // Two more attempts, with the SDK's jittered waits below a second: longer trouble is for the queue.
  maxAttempts: 3,
  requestHandler: {
    // A connection inside the region takes milliseconds; a lost SYN should not cost more than this.
    connectionTimeout: 1_000,
    // The SDK's own default waits for ever; all of these calls are answered within milliseconds.
    requestTimeout: 5_000,
    // That ends with the headers of an answer. This is between two pieces of one, where the SDK waits five minutes or more, and for S3 for ever.
    socketTimeout: 5_000,
    // Without it the SDK only logs a warning and waits on.
    throwOnRequestTimeout: true,
  },
} as const;

/** For S3, whose requests carry parts of tens of megabytes. */
export const STORE_CLIENT_SETTINGS = {
  ...CLIENT_SETTINGS,
  requestHandler: {
    ...CLIENT_SETTINGS.requestHandler,
    // A part has about 12 MB compressed, a second or two on the network of a small function; slower than
    // this is a connection that hangs, and the step has to end in time.
    requestTimeout: 10_000,
    socketTimeout: 10_000,
  },
  // Every object is sent with its own SHA-256, so no second checksum is needed.
  requestChecksumCalculation: 'WHEN_REQUIRED',
} as const;

/** For S3 where URLs are signed: who downloads asks for no checksum, which plain HTTP clients would not read. */
export const PRESIGNING_CLIENT_SETTINGS = {
  ...STORE_CLIENT_SETTINGS,
  responseChecksumValidation: 'WHEN_REQUIRED',
} as const;
