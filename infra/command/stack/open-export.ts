import { SettingError } from '../../../lib/errors.ts';
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

/** Finds the export that is meant: the one with the given id, else the newest one. */
export async function openExport(
  operands: readonly string[],
  given: GivenExport,
  call: Call,
  newest: WantedExport = ANY,
): Promise<OpenExport> {
  const connection = connectionOf(operands);
  const exportId = exportIdIn(operands[1]);
  const { list } = given;
  if (exportId !== undefined && list !== undefined) {
    throw new SettingError('--list', 'it finds the newest export: leave it out with an EXPORT-ID');
  }
  const { api } = await openStack(given, call);
  return { api, connection, exportId: exportId ?? (await newestOf(api, connection, list, newest)) };
}

/** As a rule the one that is meant is among them. */
const EXPORTS_A_PAGE = 20;

/** @throws CommandError when there is none. */
async function newestOf(
  api: IntegrationApi,
  connection: string,
  list: string | undefined,
  { isWanted, what }: WantedExport,
): Promise<string> {
  for await (const each of exportsOf(api, connection, { list, perPage: EXPORTS_A_PAGE })) {
    if (isWanted(each)) return each.exportId;
  }
  const of = list === undefined ? '' : ` of the list ${list}`;
  throw new CommandError(`The connection ${connection} has no ${what}${of}. start begins one.`);
}
