import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  ConnectionTableSchema,
  connectionSettingsOf,
} from '../../functions/services/connection-settings.ts';
import { refuseKeyOutput } from '../../functions/services/refuse-key-output.ts';
import { parseOptions } from '../../lib/customers-api/parse-options.ts';
import { SET_ORDERS, WALK_KINDS } from '../../lib/customers-api/walks/taken.ts';
import { defined } from '../../lib/defined.ts';
import type { ExportState } from '../../lib/exports/export-state.ts';
import { CUSTOMERS_LIST, DEFAULT_LIST_SETTINGS } from '../../lib/exports/list-settings.ts';
import type { Manifest } from '../../lib/exports/manifest.ts';
import { requirePacking } from '../../lib/exports/packing.ts';
import { manifestKey } from '../../lib/exports/store-objects.ts';
import { ApiKey } from '../../lib/key/api-key.ts';
import { redactorOf } from '../../lib/key/redaction.ts';
import { CONNECTION_NAME, LIST_NAME } from '../../lib/names.ts';
import { addressNotes } from '../command-line/address-notes.ts';
import { askKey } from '../command-line/ask-key.ts';
import {
  baseUrlOption,
  DEFAULT_OUT,
  EXPORT_OPTIONS,
  exportSettingsIn,
  HEADER_OPTION,
  KEY_NOTES,
  KEY_SOURCE,
  neededBaseUrl,
  PAGE_OPTIONS,
  pageSettingsIn,
  QUERY_OPTION,
} from '../command-line/export-options.ts';
import {
  nameBy,
  number,
  type OptionValues,
  oneOf,
  option,
  text,
  withOptionNames,
} from '../command-line/option-table.ts';
import { fileOf, prepareFolder } from '../command-line/out-folder.ts';
import { reasonHere } from '../command-line/reason-here.ts';
import { type TextRow, textRows } from '../command-line/text-table.ts';
import { count, counted, waitedText } from '../command-line/words.ts';
import { type Call, commandOf, type Outcome } from './command.ts';
import { type TryDisplay, tryDisplay } from './try/try-display.ts';
import { tryExport } from './try/try-export.ts';
import { type TryReport, tryReport } from './try/try-report.ts';

const DEFAULT_CONNECTION = 'try';
const { walk, maxPasses } = DEFAULT_LIST_SETTINGS;

const TRY_OPTIONS = {
  'base-url': baseUrlOption(),
  header: HEADER_OPTION,
  list: option('NAME', 'name of the list', nameBy(LIST_NAME), CUSTOMERS_LIST),
  resource: option('PATH', 'resource under /2.0/', text, 'the name of the list'),
  query: QUERY_OPTION,
  ...PAGE_OPTIONS,
  walk: option('HOW', 'how pages are asked for: verified or fast', oneOf(WALK_KINDS), walk),
  'max-passes': option(
    'R',
    'most requests of a verified walk, as a multiple of those of a fast one',
    number(),
    maxPasses,
  ),
  order: option(
    'ORDER',
    'order of the list: fixed, by-last-edit or appended',
    oneOf(SET_ORDERS),
    'learned',
  ),
  connection: option(
    'NAME',
    'name of the connection in the files',
    nameBy(CONNECTION_NAME),
    DEFAULT_CONNECTION,
  ),
  ...EXPORT_OPTIONS,
} as const;

/** Exports a list of a real API on this machine. */
export const TRY = commandOf({
  name: 'try',
  what: 'Exports a list of a real API on this machine, without AWS. The files and the verdict are those of a deployed export.',
  options: TRY_OPTIONS,
  keySource: KEY_SOURCE,
  notes: `${KEY_NOTES}
Ctrl-C ends the export; its finished parts stay.`,
  run: async ({ options }, call) => {
    refuseKeyOutput(call.environment);
    const out = options.out ?? DEFAULT_OUT;
    const { connection, list, settings } = settingsFrom(options);
    requirePacking(settings.export.compression);
    await prepareFolder(out);
    const key = ApiKey.from(await askKey(call.interrupt, call, options));
    const notes = addressNotes(neededBaseUrl(options), options.resource ?? list);
    for (const note of notes) call.output.note(redactorOf([key])(note));
    const display = tryDisplay(call, (message) => withOptionNames(TRY_OPTIONS, message));
    const { signal } = call.interrupt;
    const report = tryReport(out, options['requests-per-second']);
    const state = await tryExport({
      ...{ connection, list, key, settings, folder: out, signal },
      onAsked: (asked) => {
        report.onAsked(asked);
        display.onAsked(asked);
      },
      onState: report.onState,
      onWait: display.onWait,
    }).finally(display.end);
    return tell(state, out, { display, report }, call);
  },
});

/** @throws SettingError naming the option, or the setting that came from it. */
function settingsFrom(given: OptionValues<typeof TRY_OPTIONS>) {
  const { list = CUSTOMERS_LIST, connection = DEFAULT_CONNECTION, header } = given;
  const baseUrl = neededBaseUrl(given);
  const ofList = defined({
    resource: given.resource,
    query: given.query,
    ...pageSettingsIn(given),
    walk: given.walk,
    maxPasses: given['max-passes'],
    order: given.order,
  });
  const own = { baseUrl, ...defined({ header }), ...exportSettingsIn(given) };
  const others = list === CUSTOMERS_LIST ? {} : { [CUSTOMERS_LIST]: false as const };
  const lists = { ...others, [list]: ofList };
  const defaults = { ...own, lists };
  const table = parseOptions(ConnectionTableSchema, { defaults, connections: {} }, 'The settings');
  return { connection, list, settings: connectionSettingsOf(table, connection) };
}

async function tell(
  state: ExportState,
  out: string,
  { display, report }: { readonly display: TryDisplay; readonly report: TryReport },
  { output, now }: Call,
): Promise<Outcome> {
  const { status, connection, list, exportId, counters, completeness, warnings } = state;
  const reason = state.reason && reasonHere(TRY_OPTIONS, state.reason);
  const file = fileOf(out, manifestKey(state));
  const manifest = status === 'completed' ? await manifestIn(file) : undefined;
  const reportFile = await report.write({ ...state, ...defined({ reason }) }, manifest);
  const parts = manifest?.parts.map(({ key }) => fileOf(out, key)) ?? [];
  const words = (message: string) => withOptionNames(TRY_OPTIONS, message);
  const { pages, customers, waitedSeconds } = counters;
  const { requests, throttles: throttled } = status === 'cancelled' ? display.asked : counters;
  const counts = { pages, customers, requests, throttled, waitedSeconds };
  const elapsedSeconds = Math.round((now() - display.startedAtMs) / 100) / 10;
  const result = {
    ...{ status, connection, list, exportId, ...counts, elapsedSeconds },
    ...{ parts, manifest: manifest === undefined ? null : file, report: reportFile },
    ...{
      completeness: completeness ?? null,
      warnings: warnings ?? [],
      reason: reason ?? null,
    },
  };
  const rows: readonly TextRow[] = [
    ['Export', `${status}, id ${exportId}`],
    reason && ['Why', reason.message],
    ['Records', count(customers)],
    ['Pages', `${count(pages)} by ${counted(requests, 'request')}, ${count(throttled)} throttled`],
    ['Waited', waitedText(waitedSeconds, elapsedSeconds)],
    completeness && [
      'Verdict',
      [completeness.verdict, ...completeness.reasons.map(words)].join('\n'),
    ],
    ...(warnings ?? []).map(({ message }) => ['Warning', words(message)] as const),
    status === 'completed'
      ? [
          'Files',
          `${counted(parts.length, 'part')}, ${state.plan.compression} with one JSON text a line, and manifest.json in ${dirname(file)}`,
        ]
      : ['Files', `${counted(state.parts.count, 'part')}, without a manifest, in ${dirname(file)}`],
    ['Report', `${reportFile}, for your browser`],
  ];
  output.result(result, (width) => textRows(rows, 10, width));
  if (status === 'cancelled') return 'interrupted';
  return status === 'completed' ? 'done' : 'failed';
}

async function manifestIn(file: string): Promise<Manifest> {
  return JSON.parse(await readFile(file, 'utf8'));
}
