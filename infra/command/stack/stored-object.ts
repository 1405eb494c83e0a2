import { once } from 'node:events';
import { get as getPlain, IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { safeUrl } from './safe-url.ts';

/** An answer of a server that falls silent comes no more. */
const SILENCE_MS = 60_000;

/** What a URL reads, as it is stored: `fetch` would unpack what has `Content-Encoding: gzip`. */
export async function storedObject(url: string, signal: AbortSignal): Promise<IncomingMessage> {
  const from = safeUrl(url);
  const ask = from.protocol === 'https:' ? get : getPlain;
  const request = ask(from, { signal, timeout: SILENCE_MS });
  request.once('timeout', () => request.destroy(new Error('no answer')));
  const [answer] = await once(request, 'response');
  if (!(answer instanceof IncomingMessage)) throw new Error('no answer');
  return answer;
}
