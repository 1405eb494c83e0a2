import type { ExportReason } from '../../lib/exports/export-state.ts';
import { KEY_VARIABLE } from './ask-key.ts';
import { type OptionTable, withOptionNames } from './option-table.ts';

/**
 * The reason of an export's end with what helps on this machine: options in place of settings, and no secret to be
 * stored.
 *
 * @param table Has `base-url` and `header`.
 */
export function reasonHere(table: OptionTable, reason: ExportReason): ExportReason {
  if (reason.code !== 'authentication-failure') {
    return { ...reason, message: withoutOptions(withOptionNames(table, reason.message)) };
  }
  const status = reason.status === undefined ? '' : ` (status ${reason.status})`;
  return {
    ...reason,
    message: `The API did not accept the key${status}. It is not sent again. Check the key in ${KEY_VARIABLE}: that it is active and of the API in --base-url, and that --header names its header.`,
  };
}

/** The bounds of an export are settings alone: who looks for their options finds none. */
function withoutOptions(message: string): string {
  const names = new Set(message.match(/\bmax[A-Z]\w+/g));
  if (names.size === 0) return message;
  return `${message} Here ${[...names].join(' and ')} cannot be set: no option is for that.`;
}
