import type { WaitCause } from '../../lib/exports/export-state.ts';

/** What a step waits for, as the end of a sentence and in a word or two. */
export const WAIT_WORDS: Readonly<
  Record<WaitCause, { readonly why: string; readonly short: string }>
> = {
  throttled: { why: 'as the API asked', short: 'throttled' },
  paced: { why: 'to keep the rate', short: 'paced' },
  'cut-off': { why: 'since time was up before an answer', short: 'cut off' },
  'failed-call': { why: 'since a call of AWS failed', short: 'AWS failed' },
  network: { why: 'since the connection broke', short: 'connection broke' },
  unreachable: { why: 'since there was no connection', short: 'no connection' },
  timeout: { why: 'since no answer came in time', short: 'no answer' },
  aborted: { why: 'since the request was ended', short: 'ended' },
  'server-error': { why: 'since the API failed', short: 'API failed' },
  cut: { why: 'since the answer broke off', short: 'answer cut' },
};
