import * as v from 'valibot';
import { refuseKeyOutput } from '../../functions/services/refuse-key-output.ts';
import { parseOptions } from '../../lib/customers-api/parse-options.ts';
import { checkWithoutKey, settingsOf } from '../../lib/customers-api/settings.ts';
import { defined } from '../../lib/defined.ts';
import {
  connectionSettingsFor,
  type Examined,
  listSettingsFor,
} from '../../lib/doctor/doctor-settings.ts';
import { examine } from '../../lib/doctor/examine.ts';
import { notLearnedOf } from '../../lib/doctor/not-learned.ts';
import type { Profile } from '../../lib/doctor/profile.ts';
import { createReader } from '../../lib/doctor/reader.ts';
import {
  CUSTOMERS_LIST,
  listSettingEntries,
  listSettingsOf,
} from '../../lib/exports/list-settings.ts';
import { ApiKey } from '../../lib/key/api-key.ts';
import { addressNotes } from '../command-line/address-notes.ts';
import { askKey } from '../command-line/ask-key.ts';
import {
  baseUrlOption,
  HEADER_OPTION,
  KEY_NOTES,
  KEY_SOURCE,
  neededBaseUrl,
  PAGE_OPTIONS,
  QUERY_OPTION,
} from '../command-line/export-options.ts';
import {
  number,
  type OptionValues,
  option,
  text,
  withOptionNames,
} from '../command-line/option-table.ts';
import { textRows } from '../command-line/text-table.ts';
import { counted, shellLine } from '../command-line/words.ts';
import { type Call, commandOf } from './command.ts';
import { endingWords, notLearnedWords } from './doctor/ending-words.ts';
import { startOptions, tryOptions } from './doctor/option-lines.ts';
import { profileRows } from './doctor/profile-words.ts';

/** A person waits for it. */
const DEFAULT_MAX_WAIT_SECONDS = 120;
const DAY_SECONDS = 86_400;
const NAME_WIDTH = 13;

export const DOCTOR_OPTIONS = {
  'base-url': baseUrlOption(),
  resource: option('PATH', 'the list, under /2.0/', text, CUSTOMERS_LIST),
  header: HEADER_OPTION,
  query: QUERY_OPTION,
  'items-key': { ...PAGE_OPTIONS['items-key'], otherwise: 'found' },
  'id-key': { ...PAGE_OPTIONS['id-key'], otherwise: 'found' },
  'max-wait': option(
    'S',
    'longest time to wait in all where the API asks for it, in seconds',
    number([0, DAY_SECONDS]),
    DEFAULT_MAX_WAIT_SECONDS,
  ),
} as const;

/** Looks at a real API with a few reads, and says how to set up its export. */
export const DOCTOR = commandOf({
  name: 'doctor',
  what: 'Looks at a real API with ten reads at most, and prints the settings for its export. It changes nothing, waits as the API asks, and stops when the key is not accepted.',
  options: DOCTOR_OPTIONS,
  keySource: KEY_SOURCE,
  notes: `${KEY_NOTES}
No value of any record is printed.`,
  run: async ({ options }, call) => {
    refuseKeyOutput(call.environment);
    const examined = examinedFrom(options);
    const { baseUrl, header, resource, query } = examined;
    const places = defined({ itemsKey: options['items-key'], idKey: options['id-key'] });
    const clientOptions = { baseUrl, ...defined({ header }), ...places, now: call.now };
    // A wrong option is reported before anybody is asked for the key.
    checkWithoutKey(clientOptions);
    const key = ApiKey.from(await askKey(call.interrupt, call, options));
    const reader = createReader(settingsOf({ ...clientOptions, key }), { resource, query });
    for (const note of addressNotes(baseUrl, resource)) call.output.note(note);
    const profile = await examine(reader, {
      maxWaitSeconds: options['max-wait'] ?? DEFAULT_MAX_WAIT_SECONDS,
      sleep: (seconds) => waited(call, seconds),
      onRead: ({ purpose }, waitSeconds) => {
        const wait =
          waitSeconds >= 1 ? `Waiting ${counted(Math.ceil(waitSeconds), 'second')}, then: ` : '';
        call.output.note(`${wait}${PURPOSES[purpose]}`);
      },
    });
    print(profile, examined, call.output, reader.redact);
    const isKnown = profile.list !== undefined && profile.ending !== 'authentication-failure';
    return isKnown ? 'done' : 'failed';
  },
});

const PURPOSES = {
  'first-answer': 'Reading page 1 of 100 records',
  'without-per-page': 'Reading page 1 without per_page',
  'page-zero': 'Looking where pages begin',
  'smaller-pages': 'Reading a smaller page',
  'second-page': 'Reading the second page',
  'past-the-end': 'Looking what comes behind the end',
  'last-page': 'Reading the last page',
  'odd-size': 'Trying a size that no API is likely to list',
  'larger-pages': 'Trying a larger page',
  'usual-limit': 'Trying the largest page of other APIs',
} as const;

/** @throws SettingError naming the option. */
function examinedFrom(given: OptionValues<typeof DOCTOR_OPTIONS>): Examined {
  const { resource = CUSTOMERS_LIST, header, query: givenQuery } = given;
  const baseUrl = neededBaseUrl(given);
  const settings = { resource, ...defined({ query: givenQuery }) };
  const checked = parseOptions(v.strictObject(listSettingEntries), settings, 'The settings');
  const { query } = listSettingsOf(CUSTOMERS_LIST, checked);
  return { baseUrl, resource, query, ...defined({ header }) };
}

async function waited({ wait, interrupt }: Call, seconds: number): Promise<void> {
  await wait(Math.ceil(seconds * 1_000));
  interrupt.signal.throwIfAborted();
}

/** @param redact Of the text as a whole: no answer that holds the key has come as far as this, so it is a second net. */
function print(
  profile: Profile,
  examined: Examined,
  output: Call['output'],
  redact: (text: string) => string,
): void {
  const { list } = profile;
  const notLearned = notLearnedOf(profile);
  const known = list && {
    settings: connectionSettingsFor(list, examined),
    tryOptions: tryOptions(listSettingsFor(list, examined), examined),
    startOptions: startOptions(listSettingsFor(list, examined), examined),
  };
  const forPrograms: unknown = JSON.parse(
    redact(JSON.stringify({ ...examined, ...profile, notLearned, ...known })),
  );
  output.result(forPrograms, (width) => {
    const rows = [
      ['Examined', withOptionNames(DOCTOR_OPTIONS, endingWords(profile, examined))],
      ...profileRows(profile),
      ['Not learned', notLearned.map(notLearnedWords).join('\n') || 'Nothing.'],
    ] as const;
    const table = textRows(rows, NAME_WIDTH, width);
    if (known === undefined) return redact(table);
    const json = JSON.stringify(known.settings, undefined, 2);
    const onMachine = shellLine(['npx', 'customers-functions', 'try', ...known.tryOptions]);
    const inCheckout = shellLine(['npm', 'start', '--', ...known.startOptions]);
    return redact(
      `${table}\nSettings, for all connections or for one:\n\n${json}\n\nTo try them on this machine:\n\n${onMachine}\n\nor, in a checkout of this package, with all that is deployed:\n\n${inCheckout}\n`,
    );
  });
}
