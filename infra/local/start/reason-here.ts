import type { ExportReason } from '../../../lib/exports/export-state.ts';
import { KEY_VARIABLE } from '../../command-line/ask-key.ts';
import { withOptionNames } from '../../command-line/option-table.ts';
import { START_OPTIONS } from './start-options.ts';

/** The reason of an export's end with what helps who has called `npm start`: options, and no secret to be stored. */
export function reasonHere(reason: ExportReason): ExportReason {
  if (reason.code !== 'authentication-failure') {
    return { ...reason, message: withOptionNames(START_OPTIONS, reason.message) };
  }
  const status = reason.status === undefined ? '' : ` (status ${reason.status})`;
  return {
    ...reason,
    message: `The API did not accept the key${status}. It was sent once and not again. Check the key in ${KEY_VARIABLE}: that it is active and of the API in --base-url, and that --header names its header.`,
  };
}
