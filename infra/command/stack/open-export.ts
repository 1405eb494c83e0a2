import { defined } from '../../../lib/defined.ts';
import { SettingError } from '../../../lib/errors.ts';
import type { Call } from '../command.ts';
import { CommandError } from '../command-error.ts';
import type { IntegrationApi } from './integration-api.ts';
import { type GivenStack, openStack } from './open-stack.ts';
import { type OpenExport, readExports, type ShownExport } from './shown-export.ts';
import { connectionOf, exportIdIn } from './stack-options.ts';

/** The options of every command about one export. */
interface GivenExport extends GivenStack {
  readonly list?: string | undefined;
}

/**
 * Finds the export that is meant: the one with the given id, else the newest one.
 *
 * @param isWanted Whether it may be the newest one. @default any
 */
export async function openExport(
  operands: readonly string[],
  given: GivenExport,
  call: Call,
  isWanted?: (shown: ShownExport) => boolean,
): Promise<OpenExport> {
  const connection = connectionOf(operands);
  const exportId = exportIdIn(operands[1]);
  const { list } = given;
  if (exportId !== undefined && list !== undefined) {
    throw new SettingError('--list', 'it finds the newest export: leave it out with an EXPORT-ID');
  }
  const { api } = await openStack(given, call);
  const wanted = { exportId, list, ...defined({ isWanted }) };
  return { api, connection, exportId: await exportIdOrNewest(api, connection, wanted) };
}

/** The id that was given, or that of the newest export. @throws CommandError when there is none. */
async function exportIdOrNewest(
  api: IntegrationApi,
  connection: string,
  { exportId, list, isWanted = () => true }: WantedExport,
): Promise<string> {
  if (exportId !== undefined) return exportId;
  let after: string | undefined;
  do {
    const { exports, next } = await readExports(api, connection, { limit: '20', list, after });
    const found = exports.find(isWanted);
    if (found !== undefined) return found.exportId;
    after = next;
  } while (after !== undefined);
  const of = list === undefined ? '' : ` of the list ${list}`;
  throw new CommandError(`The connection ${connection} has no such export${of}. start begins one.`);
}

interface WantedExport {
  readonly exportId: string | undefined;
  readonly list: string | undefined;
  /** @default any */
  readonly isWanted?: (shown: ShownExport) => boolean;
}
