import { expect, test } from '@jest/globals';
import { reasonHere } from '../../../infra/command-line/reason-here.ts';
import { START_OPTIONS } from '../../../infra/local/start/start-options.ts';
import { noConnection } from '../../../lib/customers-api/no-connection.ts';
import { reactionTo } from '../../../lib/customers-api/reaction.ts';

const unreachable = (networkCode: string) =>
  noConnection({ kind: 'failure', reason: 'unreachable', networkCode, sent: false });

test('a refusal names the options that say which pages are asked for', () => {
  const refused = reactionTo(400, undefined, { authenticationStatuses: [], guesses: 0, random: 0 });
  const message = refused?.kind === 'refused' ? refused.message : '';

  expect(reasonHere(START_OPTIONS, { code: 'refused', message }).message).toContain(
    'Check --base-url, the resource, the page (--first-page is the first) and --per-page;',
  );
});

test('a rejected key is one of CUSTOMERS_API_KEY, and no secret is to be stored', () => {
  const message =
    'The API did not accept the key. Store a valid key as a new version of the secret.';
  const reason = { code: 'authentication-failure', message, status: 401 } as const;

  expect(reasonHere(START_OPTIONS, reason)).toEqual({
    code: 'authentication-failure',
    status: 401,
    message:
      'The API did not accept the key (status 401). It is not sent again. Check the key in CUSTOMERS_API_KEY: that it is active and of the API in --base-url, and that --header names its header.',
  });
});

test.each([
  [
    unreachable('ENOTFOUND'),
    'The host in --base-url was not found (ENOTFOUND). Check its spelling',
  ],
  [unreachable('EAI_AGAIN'), 'The host in --base-url could not be looked up (EAI_AGAIN)'],
  [unreachable('ECONNREFUSED'), 'The host in --base-url refused the connection (ECONNREFUSED)'],
  [unreachable('CONNECT_TIMEOUT'), 'The host in --base-url does not answer (CONNECT_TIMEOUT)'],
  [
    unreachable('EPROTO'),
    'The server at --base-url does not speak TLS there, or no version that is allowed (EPROTO).',
  ],
  [
    unreachable('ERR_SSL_WRONG_VERSION_NUMBER'),
    'The server at --base-url does not speak TLS there',
  ],
  [
    unreachable('ECONNRESET'),
    'The server at --base-url ended the connection before TLS was set up (ECONNRESET).',
  ],
  ['Set itemsKey or raise perPage.', 'Set --items-key or raise --per-page.'],
])('settings in %j are named by their options', (message, expected) => {
  expect(
    reasonHere(START_OPTIONS, { code: 'unreachable', message }).message.startsWith(expected),
  ).toBe(true);
});

test('a setting that no option is for is said to be none that can be set here', () => {
  const code = 'wait-too-long';
  const message = 'Longer than maxWaitSeconds (60). Raise maxWaitSeconds.';

  expect(reasonHere(START_OPTIONS, { code, message }).message).toBe(
    `${message} Here maxWaitSeconds cannot be set: no option is for that.`,
  );
});
