import { SettingError } from '../../lib/errors.ts';

type Variables = Readonly<Record<string, string | undefined>>;

const CLIENT = {
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

const STORE_CLIENT = {
  ...CLIENT,
  requestHandler: {
    ...CLIENT.requestHandler,
    // A part has about 12 MB compressed, a second or two on the network of a small function; slower than
    // this is a connection that hangs, and the step has to end in time.
    requestTimeout: 10_000,
    socketTimeout: 10_000,
  },
  // Every object is sent with its own SHA-256, so no second checksum is needed.
  requestChecksumCalculation: 'WHEN_REQUIRED',
} as const;

const PRESIGNING_CLIENT = {
  ...STORE_CLIENT,
  responseChecksumValidation: 'WHEN_REQUIRED',
} as const;

/**
 * For clients whose requests and answers are small.
 *
 * @param variables None of a client that looks at the address of each request. @default - those of the process
 * @throws SettingError as {@link refusePlainEndpoints}, and so do those for S3: no client is made without that look.
 */
export function clientSettings(variables: Variables = process.env) {
  refusePlainEndpoints(variables);
  return CLIENT;
}

/** For S3, whose requests carry parts of tens of megabytes. */
export function storeClientSettings() {
  refusePlainEndpoints();
  return STORE_CLIENT;
}

/** For S3 where URLs are signed: who downloads asks for no checksum, which plain HTTP clients would not read. */
export function presigningClientSettings(variables: Variables = process.env) {
  refusePlainEndpoints(variables);
  return PRESIGNING_CLIENT;
}

/** Names of this machine (RFC 6761 section 6.3), at which an emulator of AWS listens. */
export const THIS_MACHINE = /^(([\w-]+\.)*localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Keys, records and the function's own credentials come and go by these addresses.
 *
 * @throws SettingError naming the variable of one without `https:` that is not of this machine.
 */
export function refusePlainEndpoints(variables: Variables = process.env): void {
  for (const [name, value = ''] of Object.entries(variables)) {
    const url = /^AWS_ENDPOINT_URL(_|$)/.test(name) ? URL.parse(value) : null;
    if (url?.protocol !== 'http:' || THIS_MACHINE.test(url.hostname)) continue;
    throw new SettingError(
      name,
      'without https: others on the way could read keys and records. Expected https:, or an address of this machine. Remove it.',
    );
  }
}
