import { SignatureV4 } from '@smithy/signature-v4';
import { defined } from '../../../lib/defined.ts';
import { CommandError } from '../command-error.ts';
import { safeUrl } from './safe-url.ts';

type SignerInit = ConstructorParameters<typeof SignatureV4>[0];

export interface Signer {
  readonly region: () => Promise<string>;
  readonly credentials: SignerInit['credentials'];
  /** SHA-256, as the client of any AWS service has it. */
  readonly sha256: SignerInit['sha256'];
  readonly signal: AbortSignal;
}

export interface SignedRequest {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly deadlineMs: number;
  /** It changes something, so it may be done though no answer came. */
  readonly acts: boolean;
}

export interface SignedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly said: string;
}

/**
 * Sends one request with the signature of a person (SigV4). No redirect is followed.
 *
 * @param service Of the signature, such as `lambda`.
 * @throws CommandError when nobody answers.
 */
export async function signedCall(
  { region, credentials, sha256, signal }: Signer,
  service: string,
  url: URL,
  { method, headers = {}, body, deadlineMs, acts }: SignedRequest,
): Promise<SignedAnswer> {
  const signer = new SignatureV4({ region, credentials, service, sha256 });
  const { headers: signed } = await signer.sign({
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: { host: url.host, ...headers },
    ...defined({ body }),
  });
  try {
    const answer = await fetch(url, {
      method,
      headers: signed,
      ...defined({ body }),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]),
    });
    return { status: answer.status, headers: answer.headers, said: await answer.text() };
  } catch (error) {
    if (signal.aborted) throw error;
    throw unreached(url.origin, { deadlineMs, acts }, error);
  }
}

function unreached(
  origin: string,
  { deadlineMs, acts }: Pick<SignedRequest, 'deadlineMs' | 'acts'>,
  error: unknown,
): CommandError {
  if (error instanceof Error && error.name === 'TimeoutError') {
    const advice = acts
      ? 'What you asked for may be done all the same: look before you ask again.'
      : 'Check the network, and --region.';
    const message = `${origin} did not answer within ${deadlineMs / 1000} s. ${advice}`;
    return new CommandError(message, { isPassing: true });
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
  const message = `${origin} does not answer${code}. Check the network, and --stack.`;
  return new CommandError(message, { isPassing: true });
}

/** Regions of other partitions than `aws` have endpoints below other names (AWS SDK, partitions.json). */
const SUFFIXES: readonly (readonly [regions: string, suffix: string])[] = [
  ['cn-', 'amazonaws.com.cn'],
  ['us-iso-', 'c2s.ic.gov'],
  ['us-isob-', 'sc2s.sgov.gov'],
];

/** Where a service answers: `AWS_ENDPOINT_URL_<SERVICE>` and `AWS_ENDPOINT_URL` come first, as in every SDK. */
export function endpointOf(
  service: 'lambda' | 'sts',
  region: string,
  environment: Readonly<Record<string, string | undefined>>,
): URL {
  const given =
    environment[`AWS_ENDPOINT_URL_${service.toUpperCase()}`] ?? environment['AWS_ENDPOINT_URL'];
  const [, suffix = 'amazonaws.com'] = SUFFIXES.find(([prefix]) => region.startsWith(prefix)) ?? [];
  return safeUrl(given ?? `https://${service}.${region}.${suffix}`);
}
