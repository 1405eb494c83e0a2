import { expect, test } from '@jest/globals';
import { endingWords, notLearnedWords } from '../../infra/command/doctor/ending-words.ts';
import { profileRows } from '../../infra/command/doctor/profile-words.ts';
import { listSettingsFor } from '../../lib/doctor/doctor-settings.ts';
import { notLearnedOf } from '../../lib/doctor/not-learned.ts';
import { DIALECTS, type Dialect, modelOf } from '../lib/doctor/dialects.ts';
import { examineModel } from '../lib/doctor/examined.ts';
import { expectRecorded } from './recording.ts';

const EXAMINED = { baseUrl: 'https://api.example.com', resource: 'customers', query: {} };

/** What it prints, without the layout. */
async function saidOf(dialect: Dialect, total: number | undefined) {
  const model = modelOf(dialect, total);
  const { profile } = await examineModel((question) => model.answer(question));
  const { list } = profile;
  return {
    Examined: endingWords(profile, EXAMINED),
    ...Object.fromEntries(profileRows(profile).filter((row) => row !== undefined)),
    'Not learned': notLearnedOf(profile).map(notLearnedWords),
    Settings: list && listSettingsFor(list, EXAMINED),
  };
}

/** What it says otherwise than of another list. */
function changesOf(said: object, other: object): object {
  const others = new Map<string, unknown>(Object.entries(other));
  const isOther = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(others.get(name));
  return Object.fromEntries(Object.entries(said).filter(isOther));
}

test('the doctor says of each dialect, of a short and of an empty list what is recorded', async () => {
  const said: Record<string, object> = {};
  for (const dialect of DIALECTS) {
    const usual = await saidOf(dialect, undefined);
    said[dialect.name] = {
      ...usual,
      'Where it has 5 records': changesOf(await saidOf(dialect, 5), usual),
      'Where it is empty': changesOf(await saidOf(dialect, 0), usual),
    };
  }

  expect(Object.keys(said)).toHaveLength(DIALECTS.length);
  expectRecorded('doctor', said);
});
