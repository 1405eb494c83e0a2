import { SettingError } from '../../../lib/errors.ts';
import { CUSTOMERS_LIST } from '../../../lib/exports/list-settings.ts';
import type { Call } from '../command.ts';
import { CommandError } from '../command-error.ts';
import type { IntegrationApi } from './integration-api.ts';
import { type GivenStack, openStack } from './open-stack.ts';
import { exportsOf, type OpenExport, type ShownExport } from './shown-export.ts';
import { connectionOf, exportIdIn } from './stack-options.ts';

/** The options of every command about one export. */
interface GivenExport extends GivenStack {
  readonly list?: string | undefined;
}

/** Which exports may be the newest one. */
export interface WantedExport {
  readonly isWanted: (shown: ShownExport) => boolean;
  /** What such an export is, for the one who has none. */
  readonly what: string;
}

const ANY: WantedExport = { isWanted: () => true, what: 'export' };

/**
 * Finds the export that is meant: the one with the given id, else the newest one of the list. Which list is meant must
 * not depend on which was exported last: without a name it is the one that a start without a name exports.
 */
export async function openExport(
  operands: readonly string[],
  given: GivenExport,
  call: Call,
  newest: WantedExport = ANY,
): Promise<OpenExport> {
  const connection = connectionOf(operands);
  const exportId = exportIdIn(operands[1]);
  if (exportId !== undefined && given.list !== undefined) {
    throw new SettingError('--list', 'it finds the newest export: leave it out with an EXPORT-ID');
  }
  const { api } = await openStack(given, call);
  if (exportId !== undefined) return { api, connection, exportId };
  const { list = CUSTOMERS_LIST } = given;
  return { api, connection, exportId: await newestOf(api, connection, list, newest) };
}

/** As a rule the one that is meant is among them. */
const EXPORTS_A_PAGE = 20;

/** Of all lists, for the names of them. */
const EXPORTS_LOOKED_AT = 100;

/** @throws CommandError when there is none. */
async function newestOf(
  api: IntegrationApi,
  connection: string,
  list: string,
  { isWanted, what }: WantedExport,
): Promise<string> {
  for await (const each of exportsOf(api, connection, { list, perPage: EXPORTS_A_PAGE })) {
    if (isWanted(each)) return each.exportId;
  }
  const others = new Set<string>();
  const most = EXPORTS_LOOKED_AT;
  for await (const each of exportsOf(api, connection, { perPage: most, most })) {
    if (isWanted(each)) others.add(each.list);
  }
  const start = list === CUSTOMERS_LIST ? 'start' : `start --list ${list}`;
  const there =
    others.size === 0 ? '' : ` By --list there is one of: ${[...others].toSorted().join(', ')}.`;
  throw new CommandError(
    `The connection ${connection} has no ${what} of the list ${list}. ${start} begins one.${there}`,
  );
}
