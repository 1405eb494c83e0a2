import { THIS_MACHINE } from '../../../functions/aws/client-settings.ts';
import { CommandError } from '../command-error.ts';

/**
 * An address that a stack, its HTTP API, the environment or a profile named.
 *
 * @throws CommandError for one at which others could read credentials and records on the way.
 */
export function safeUrl(text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === 'https:') return url;
  if (url?.protocol === 'http:' && THIS_MACHINE.test(url.hostname)) return url;
  throw new CommandError(
    `${text.slice(0, 200)} is no address with https. Check --stack and --integration, and AWS_ENDPOINT_URL and its like.`,
  );
}
