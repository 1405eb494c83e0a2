import * as v from 'valibot';
import { CHANGE_KINDS, idAsText } from '../../../lib/changes/change.ts';
import { CountsSchema } from '../../../lib/changes/changes-summary.ts';
import { defined } from '../../../lib/defined.ts';
import {
  type ExactJson,
  elementsIn,
  exactText,
  onlyMember,
  readExactJson,
} from '../../../lib/json/exact-json.ts';
import { parseJson } from '../../../lib/json/json-value.ts';
import type { ChangeSample, ReportChanges } from '../../report/report-data.ts';
import { type BegunExport, type OpenExport, readAs } from './shown-export.ts';

const PageSchema = v.object({
  counts: v.nullable(CountsSchema),
  since: v.nullable(v.looseObject({ exportId: v.string() })),
  reason: v.nullable(v.string()),
});
const SampleSchema = v.object({
  change: v.picklist(CHANGE_KINDS),
  members: v.exactOptional(v.array(v.string())),
});

const SAMPLES_A_KIND = '3';

const STATUS_WORDS: Readonly<Record<string, string>> = {
  publishing: 'They are being told, each in an event.',
  stopped: 'They are told no further until a person decides.',
  discarded: 'A person decided that nothing more of them is told.',
  superseded:
    'A newer export was compared with the same one before, and its changes have these in them.',
};

/** What an export changed, with some changes of each kind; `undefined` while it is not compared. */
export async function reportedChanges(
  { api, connection, exportId }: OpenExport,
  { changes }: BegunExport,
): Promise<ReportChanges | undefined> {
  if (changes === null) return undefined;
  const { status } = changes;
  if (status === 'first') return { state: 'first', samples: [] };
  if (status === 'refused') {
    return {
      state: 'refused',
      reason: 'It could not be compared with the one before.',
      samples: [],
    };
  }
  const path = ['exports', exportId, 'changes'];
  const pages = CHANGE_KINDS.map((change) =>
    api.ask(connection, path, { query: { limit: SAMPLES_A_KIND, change } }),
  );
  const [first = '', ...others] = await Promise.all(pages);
  const { counts, since, reason } = readAs(PageSchema, first);
  return {
    state: status === 'held' ? 'held' : 'found',
    ...defined({
      counts: counts ?? undefined,
      since: since?.exportId,
      reason: reason ?? STATUS_WORDS[status],
    }),
    samples: [first, ...others].flatMap(samplesIn),
  };
}

function samplesIn(page: string): readonly ChangeSample[] {
  return changesIn(page).flatMap((each) => {
    const parsed = v.safeParse(SampleSchema, parseJson(exactText(each)));
    const id = onlyMember(each, 'id');
    if (!parsed.success || id === undefined) return [];
    return [{ ...parsed.output, id: idAsText(exactText(id)) }];
  });
}

/** The changes of a page, as they came. */
export function changesIn(page: string): readonly ExactJson[] {
  const read = readExactJson(page);
  const changes = read.kind === 'json' ? onlyMember(read.json, 'changes') : undefined;
  return changes === undefined ? [] : elementsIn(changes);
}
