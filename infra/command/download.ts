import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { SettingError } from '../../lib/errors.ts';
import { type ExactJson, readExactJson } from '../../lib/json/exact-json.ts';
import { writingTo } from '../command-line/disk-error.ts';
import { DEFAULT_OUT } from '../command-line/export-options.ts';
import { oneOf, option, text } from '../command-line/option-table.ts';
import { fileOf, prepareFolder, storeFile } from '../command-line/out-folder.ts';
import { counted } from '../command-line/words.ts';
import { REPORT_FILE } from '../report/report-page.ts';
import { type Call, commandOf, type Outcome } from './command.ts';
import { CommandError } from './command-error.ts';
import { asText, cellsOf, csvLine, hasFormula, namesIn } from './download/csv.ts';
import { sayFile, writingWhole } from './download/file-or-stdout.ts';
import { isStored, linesIn, partsIn, textIn } from './download/part-files.ts';
import type { Output } from './output.ts';
import { deployedReport, type ReportSources } from './stack/deployed-report.ts';
import { filesOf, type RemoteFile, received } from './stack/export-files.ts';
import { openExport } from './stack/open-export.ts';
import { type OpenExport, readExport, type ShownExport } from './stack/shown-export.ts';
import { ASKED_OPTIONS, CONNECTION, EXPORT, NEWEST_OF } from './stack/stack-options.ts';

const FORMS = ['parts', 'ndjson', 'csv', 'spreadsheet'] as const;
const DEFAULT_FORM = 'parts';
/** By it programs for spreadsheets know that a file is UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';

const COMPLETED = {
  isWanted: ({ status }: ShownExport) => status === 'completed',
  what: 'completed export',
};

export const DOWNLOAD = commandOf({
  name: 'download',
  what: 'Downloads a completed export. Every file is checked by its SHA-256, and what is there already stays.',
  operands: [CONNECTION, { ...EXPORT, what: 'id of the export (the newest completed one)' }],
  options: {
    as: { ...option('FORM', 'in which form', oneOf(FORMS), DEFAULT_FORM), choices: FORMS },
    out: option(
      'PATH',
      'folder of the parts, or file of another form; - for stdout',
      text,
      `${DEFAULT_OUT}, or stdout`,
    ),
    list: NEWEST_OF,
    ...ASKED_OPTIONS,
  },
  notes: `parts: the files as they are stored, gzip or zstd with one JSON text a line, and
the manifest. ndjson: one JSON text a line. csv: RFC 4180; a number has its digits,
what is nested is JSON text. spreadsheet: the same for Excel and its like; text
that they would run as a formula (= + - @) begins with an apostrophe.`,
  run: async ({ options, operands }, call) => {
    const { as = DEFAULT_FORM, out } = options;
    if (as === 'parts' && out === '-') {
      throw new SettingError('--out', 'expected a folder, since parts are files: set --as too');
    }
    const opened = await openExport(operands, options, call, COMPLETED);
    const taken: Taken = { list: '', exportId: opened.exportId, records: 0 };
    if (as === 'parts') return downloadParts(opened, taken, out ?? DEFAULT_OUT, call);
    const folder = await writingTo(tmpdir(), () => mkdtemp(join(tmpdir(), 'customers-download-')));
    try {
      const parts = partsIn(folder, takenFrom(opened, taken), call.interrupt.signal);
      if (as === 'ndjson') await writeLines(parts, out, call);
      else await writeTable(parts, as, out, call);
      call.output.note(takenText(taken));
      sayFile(out, taken, call.output);
      return 'done';
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});

/** What a download is of, and how much of it has come. */
interface Taken {
  list: string;
  readonly exportId: string;
  records: number;
}

/** The files of an export. @param taken Gets what they say. */
async function* takenFrom(opened: OpenExport, taken: Taken): AsyncGenerator<RemoteFile, void> {
  for await (const file of filesOf(opened)) {
    taken.list = file.list;
    taken.records += file.records ?? 0;
    yield file;
  }
}

function takenText({ list, exportId, records }: Taken): string {
  return `${counted(records, 'record')} of the list ${list}, export ${exportId}.`;
}

/** The manifest comes last: where it is, all parts are. Beside it there is a page about the export, made anew. */
async function downloadParts(
  opened: OpenExport,
  taken: Taken,
  folder: string,
  { output, interrupt, stderr }: Call,
): Promise<Outcome> {
  await prepareFolder(folder);
  const result = { folder, files: 0, downloaded: 0, bytes: 0 };
  const texts: Partial<Record<RemoteFile['kind'], string>> = {};
  let manifest: (() => Promise<void>) | undefined;
  let reportFile = '';
  for await (const file of takenFrom(opened, taken)) {
    const path = fileOf(folder, file.key);
    const isThere = await isStored(path, file);
    result.files += 1;
    result.bytes += file.bytes;
    if (file.kind === 'manifest') reportFile = join(dirname(path), REPORT_FILE);
    if (file.kind !== 'part') {
      const body = isThere ? await readFile(path) : await received(file, interrupt.signal, buffer);
      texts[file.kind] = body.toString();
      if (isThere) continue;
      if (file.kind === 'manifest') manifest = () => storeFile(path, body);
      else await storeFile(path, body);
    } else {
      if (isThere) continue;
      await received(file, interrupt.signal, (bytes) => storeFile(path, bytes));
    }
    result.downloaded += 1;
    if (stderr.isTTY === true) output.note(path);
  }
  await manifest?.();
  const report = (await writeReport(reportFile, opened, texts, output)) ? reportFile : null;
  output.note(takenText(taken));
  output.result({ ...taken, ...result, report }, () => {
    const there = result.files - result.downloaded;
    const files = `${counted(result.downloaded, 'file')} downloaded to ${folder}, ${there} of ${result.files} were there.`;
    return report === null ? files : `${files}\nHow the export went: ${report}, for your browser`;
  });
  return 'done';
}

/** The files are there with or without it: who may only download is told why there is none. */
async function writeReport(
  file: string,
  opened: OpenExport,
  texts: ReportSources,
  output: Output,
): Promise<boolean> {
  try {
    const shown = await readExport(opened);
    if (shown.status === 'queued') return false;
    await storeFile(file, Buffer.from(await deployedReport(opened, shown, texts)));
    return true;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    output.note(`There is no report: ${error.message}`);
    return false;
  }
}

function writeLines(
  parts: AsyncIterable<string>,
  out: string | undefined,
  { stdout, interrupt }: Call,
): Promise<void> {
  return writingWhole(out, stdout, async ({ write }) => {
    for await (const part of parts) {
      for await (const text of textIn(part, interrupt.signal)) await write(text);
      await rm(part);
    }
  });
}

/** The columns are known only at the end of the list, so the parts are kept until then. */
async function writeTable(
  parts: AsyncIterable<string>,
  form: 'csv' | 'spreadsheet',
  out: string | undefined,
  { stdout, output, interrupt }: Call,
): Promise<void> {
  const kept: string[] = [];
  const columns = new Set<string>();
  let formulas = 0;
  for await (const part of parts) {
    kept.push(part);
    for await (const records of recordsIn(part, interrupt.signal)) {
      for (const name of records.flatMap(namesIn)) columns.add(name);
      formulas += records.filter(hasFormula).length;
    }
  }
  const names = [...columns];
  const rule = form === 'csv' ? 'as-it-came' : 'as-text';
  await writingWhole(out, stdout, async ({ write }) => {
    await write(
      (form === 'csv' ? '' : BYTE_ORDER_MARK) +
        csvLine(rule === 'as-text' ? names.map(asText) : names),
    );
    for (const part of kept) {
      for await (const records of recordsIn(part, interrupt.signal)) {
        await write(records.map((record) => csvLine(cellsOf(record, names, rule))).join(''));
      }
    }
  });
  if (form === 'csv' && formulas > 0) {
    output.note(
      `${counted(formulas, 'record')} with text that a spreadsheet would run as a formula. Open it there only by --as spreadsheet.`,
    );
  }
}

/** Some at a time. */
async function* recordsIn(
  part: string,
  signal: AbortSignal,
): AsyncGenerator<readonly ExactJson[], void> {
  for await (const lines of linesIn(part, signal)) yield lines.map(recordOf);
}

function recordOf(line: string): ExactJson {
  const read = readExactJson(line);
  if (read.kind === 'json') return read.json;
  throw new CommandError(`A line of a part ${read.problem}.`);
}
