import * as v from 'valibot';
import { SettingError } from '../../lib/errors.ts';
import { CUSTOMERS_LIST } from '../../lib/exports/list-settings.ts';
import { LIST_NAME, START_KEY, START_KEY_EXPECTED } from '../../lib/names.ts';
import { nameBy, option } from '../command-line/option-table.ts';
import { commandOf } from './command.ts';
import { openStack } from './stack/open-stack.ts';
import { readAs } from './stack/shown-export.ts';
import { ASKED_OPTIONS, CONNECTION, connectionOf } from './stack/stack-options.ts';

const StartedSchema = v.object({
  result: v.string(),
  export: v.looseObject({ exportId: v.string(), status: v.string() }),
});

export const START = commandOf({
  name: 'start',
  what: 'Starts an export of a list, or joins the one that runs.',
  operands: [CONNECTION],
  options: {
    list: option('NAME', 'what is exported', nameBy(LIST_NAME), CUSTOMERS_LIST),
    'idempotency-key': option(
      'ID',
      `the same one starts one export; ${START_KEY_EXPECTED}`,
      startKey,
      'a new one',
    ),
    ...ASKED_OPTIONS,
  },
  run: async ({ options, operands }, call) => {
    const connection = connectionOf(operands);
    const { api } = await openStack(options, call);
    const { list, 'idempotency-key': key } = options;
    const said = await api.ask(connection, ['exports'], {
      method: 'POST',
      body: list === undefined ? {} : { list },
      headers: key === undefined ? {} : { 'idempotency-key': key },
    });
    const started = readAs(StartedSchema, said);
    const { exportId, status } = started.export;
    const next = `npx customers-functions watch ${connection} ${exportId}`;
    call.output.result(started, () => `${exportId} is ${status}. To see it: ${next}`);
    return 'done';
  },
});

function startKey(given: string, name: string): string {
  if (START_KEY.test(given)) return given;
  throw new SettingError(name, `expected ${START_KEY_EXPECTED}`);
}
