import { SettingError } from '../../../lib/errors.ts';
import { CUSTOMERS_LIST } from '../../../lib/exports/list-settings.ts';
import { CONNECTION_NAME, EXPORT_ID, LIST_NAME } from '../../../lib/names.ts';
import { gotOf, nameBy, oneOf, option, text } from '../../command-line/option-table.ts';
import { WAYS } from './open-stack.ts';

/** Which deployed integration a command is about, and as whom it is asked. */
export const STACK_OPTIONS = {
  stack: option('NAME', 'stack of the integration', text, 'all of the region are looked through'),
  integration: option('ID', 'id of the integration', text, 'the only one there is'),
  region: option('REGION', 'AWS region', text, 'AWS_REGION, or that of the profile'),
  profile: option('NAME', 'profile of the AWS configuration', text, 'AWS_PROFILE'),
} as const;

/** The same where the integration is asked for something. */
export const ASKED_OPTIONS = {
  ...STACK_OPTIONS,
  by: {
    ...option(
      'WAY',
      'ask its HTTP API, or its services with rights of your own',
      oneOf(WAYS),
      'http-api where there is one',
    ),
    choices: WAYS,
  },
} as const;

/** Where no export is named. */
export const NEWEST_OF = option(
  'NAME',
  'the newest of this list',
  nameBy(LIST_NAME),
  CUSTOMERS_LIST,
);

export const CONNECTION = { name: 'CONNECTION', what: 'name of the connection' } as const;

export const EXPORT = {
  name: 'EXPORT-ID',
  what: 'id of the export (the newest of the list)',
  isOptional: true,
} as const;

/** @throws SettingError for what cannot be the name of one. */
export function connectionOf([name = '']: readonly string[]): string {
  return nameBy(CONNECTION_NAME)(name, 'CONNECTION');
}

/** @throws SettingError for what cannot be the id of an export. */
export function exportIdIn(given: string | undefined): string | undefined {
  if (given === undefined || EXPORT_ID.test(given)) return given;
  throw new SettingError(
    'EXPORT-ID',
    `expected the id of an export, as list shows it, got ${gotOf(given)}`,
  );
}
