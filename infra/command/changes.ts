import * as v from 'valibot';
import { CHANGE_KINDS } from '../../lib/changes/change.ts';
import { exactText } from '../../lib/json/exact-json.ts';
import { flag, oneOf, option, text } from '../command-line/option-table.ts';
import { count } from '../command-line/words.ts';
import { commandOf } from './command.ts';
import { sayFile, writingWhole } from './download/file-or-stdout.ts';
import { openExport } from './stack/open-export.ts';
import { changesIn } from './stack/reported-changes.ts';
import { readAs, type ShownExport } from './stack/shown-export.ts';
import { ASKED_OPTIONS, CONNECTION, EXPORT, NEWEST_OF } from './stack/stack-options.ts';

const PageSchema = v.object({
  list: v.string(),
  status: v.string(),
  counts: v.nullable(v.object({ added: v.number(), changed: v.number(), removed: v.number() })),
  since: v.nullable(v.looseObject({ exportId: v.string() })),
  next: v.nullable(v.string()),
});

const COMPARED = {
  isWanted: ({ status, changes }: ShownExport) =>
    status === 'completed' && isCompared(changes?.status),
  what: 'export that was compared with one before it',
};

/** Of the route. */
const CHANGES_A_PAGE = '1000';

export const CHANGES = commandOf({
  name: 'changes',
  what: 'Prints what was added, changed and removed since the export before, one JSON text a line.',
  operands: [CONNECTION, { ...EXPORT, what: 'id of the export (the newest that was compared)' }],
  options: {
    kind: option('KIND', 'only added, changed or removed ones', oneOf(CHANGE_KINDS)),
    records: flag('with the record of each, as it came'),
    out: option('FILE', 'where they go, - for stdout', text, 'stdout'),
    list: NEWEST_OF,
    ...ASKED_OPTIONS,
  },
  run: async ({ options, operands }, call) => {
    const opened = await openExport(operands, options, call, COMPARED);
    const { api, connection, exportId } = opened;
    let summary = {};
    await writingWhole(options.out, call.stdout, async ({ write }) => {
      let after: string | undefined;
      do {
        const query = {
          limit: CHANGES_A_PAGE,
          after,
          change: options.kind,
          records: options.records && 'true',
        };
        const said = await api.ask(connection, ['exports', exportId, 'changes'], { query });
        const page = readAs(PageSchema, said);
        if (after === undefined) call.output.note(summaryOf(exportId, page));
        const { list, status, counts, since } = page;
        summary = { list, status, counts, since: since?.exportId ?? null };
        await write(linesIn(said));
        after = page.next ?? undefined;
      } while (after !== undefined);
    });
    sayFile(options.out, { exportId, ...summary }, call.output);
    return 'done';
  },
});

/** The first export of a list is compared with none. */
function isCompared(status: string | undefined): boolean {
  return status !== undefined && status !== 'first' && status !== 'refused';
}

function summaryOf(exportId: string, page: v.InferOutput<typeof PageSchema>): string {
  const { list, status, counts, since } = page;
  const { added = 0, changed = 0, removed = 0 } = counts ?? {};
  const before = since === null ? '' : ` since ${since.exportId}`;
  return `List ${list}, export ${exportId} (${status})${before}: ${count(added)} added, ${count(changed)} changed, ${count(removed)} removed.`;
}

/** Each change as it came: a value of JavaScript would lose digits. */
function linesIn(said: string): string {
  return changesIn(said)
    .map((change) => `${exactText(change)}\n`)
    .join('');
}
