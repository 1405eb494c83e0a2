import { SettingError } from '../../lib/errors.ts';

/** What `parseOptions` says of a name that no schema has. */
const UNKNOWN = 'there is no such setting';

const KEY_NAMES = /^(api)?(key|token|secret)$/;
const KEY_ADVICE = `${UNKNOWN}: the key belongs into the secret of its connection alone. If this is the key, take it out and consider it exposed`;

/** Members of an operation and of its check, among which no setting of the same name is meant. */
const OPERATION_NAMES = [
  ...['name', 'method', 'resource', 'acceptsIdempotencyKey', 'check'],
  ...['kind', 'match', 'proves', 'settleSeconds', 'query', 'maxPages'],
];
const OF_OPERATION = /\boperations\[\d+\]\.(check\.)?/;

/**
 * Does the work, and adds to an unknown name of a setting what a person has probably meant.
 *
 * @param names Of the settings that there are, on any level.
 * @param elsewhere What takes the place of a setting here, by its name.
 * @throws SettingError as the work does.
 */
export function namingNearest<T>(
  names: readonly string[],
  elsewhere: Readonly<Record<string, string>>,
  work: () => T,
): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SettingError) || error.problem !== UNKNOWN) throw error;
    const name = error.setting.split('.').at(-1) ?? '';
    if (KEY_NAMES.test(plain(name))) throw new SettingError(error.setting, KEY_ADVICE);
    const here = Object.hasOwn(elsewhere, name) ? elsewhere[name] : undefined;
    if (here !== undefined) throw new SettingError(error.setting, `${UNKNOWN}: here it is ${here}`);
    const operation = OF_OPERATION.exec(error.setting);
    const nearest = nearestOf(operation === null ? names : OPERATION_NAMES, name);
    if (nearest === undefined) throw error;
    const isSame = nearest === name;
    const other =
      operation?.[1] !== undefined && name === 'maxPages'
        ? 'goes with the kind list alone'
        : 'stands on another level';
    const advice = isSame ? `${name} ${other}` : `perhaps ${nearest} is meant`;
    throw new SettingError(error.setting, `${UNKNOWN}: ${advice}`);
  }
}

/** At most one letter in four differs, whatever the case and however words are joined. */
function nearestOf(names: readonly string[], given: string): string | undefined {
  const most = Math.floor(plain(given).length / 4);
  const close = names
    .map((name) => ({ name, edits: editsBetween(plain(name), plain(given)) }))
    .filter(({ edits }) => edits <= most)
    .sort((one, other) => one.edits - other.edits);
  return close[0]?.name;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}

/** The Levenshtein distance. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [at, each] of [...other].entries()) {
      const replaced = (row[at] ?? 0) + (letter === each ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
