import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { defined } from '../../../lib/defined.ts';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import { parseListSchema } from '../../../lib/exports/list-schema.ts';
import type { Manifest } from '../../../lib/exports/manifest.ts';
import { exportPrefix } from '../../../lib/exports/store-objects.ts';
import { fileOf, storeFile } from '../../command-line/out-folder.ts';
import { exportCourse, ledgerPoint } from '../../report/export-course.ts';
import type { LoggedRequest } from '../../report/report-data.ts';
import { limitOfSettings, reportFacts } from '../../report/report-facts.ts';
import { REPORT_FILE, reportPage } from '../../report/report-page.ts';
import type { AskedPage } from './watched-pages.ts';

/** Collects what the page about an export shows, and writes it. */
export interface TryReport {
  readonly onAsked: (asked: AskedPage) => void;
  readonly onState: (state: ExportState) => void;
  /** @returns The file, beside those of the export. */
  readonly write: (state: ExportState, manifest: Manifest | undefined) => Promise<string>;
}

export function tryReport(out: string, requestsPerSecond: number | undefined): TryReport {
  const course = exportCourse(ledgerPoint);
  const requests: LoggedRequest[] = [];
  return {
    onAsked: ({ sentAtMs, outcome: { kind } }) => {
      const outcome = kind === 'page' ? 'answered' : kind === 'throttled' ? kind : 'failed';
      requests.push({ atMs: sentAtMs, outcome });
    },
    onState: course.see,
    write: async (state, manifest) => {
      const file = fileOf(out, exportPrefix(state) + REPORT_FILE);
      const page = reportPage({
        ...reportFacts(state),
        course: course.points(),
        requests: { from: 'sent from here', entries: requests.toSorted((a, b) => a.atMs - b.atMs) },
        ...defined({
          manifest,
          reason: state.reason,
          schema: manifest && parseListSchema(await schemaBeside(file)),
          limit: limitOfSettings(requestsPerSecond),
        }),
      });
      await storeFile(file, Buffer.from(page));
      return file;
    },
  };
}

/** `undefined`: there is none, as where the records could not be described. */
function schemaBeside(file: string): Promise<string | undefined> {
  return readFile(join(dirname(file), 'schema.json'), 'utf8').catch(() => undefined);
}
