import * as v from 'valibot';
import { WalkCountsSchema } from '../../lib/customers-api/walks/list-walk-schema.ts';
import { parseJson } from '../../lib/json/json-value.ts';
import { count, type Stored } from '../../lib/stored.ts';

const texts = v.array(v.string());

/** Other members are passed over. */
const ReportManifestSchema = v.object({
  endedAt: v.pipe(v.string(), v.isoTimestamp()),
  totals: v.object({ pages: count, customers: count, bytes: count, storedBytes: count }),
  parts: v.array(
    v.object({
      key: v.string(),
      pages: count,
      customers: count,
      storedBytes: count,
      sha256: v.string(),
    }),
  ),
  completeness: v.object({ verdict: v.string(), reasons: texts }),
  walk: v.object({ kind: v.string(), order: v.string(), counts: WalkCountsSchema }),
  end: v.object({ contradictions: texts }),
  warnings: v.array(v.object({ message: v.string(), pages: count })),
  requests: count,
  throttles: count,
  waitedSeconds: count,
});

/** As much of a manifest as a report shows. */
export type ReportManifest = Stored<typeof ReportManifestSchema>;

/** `undefined` for what does not say all of this. */
export function parseReportManifest(text: string): ReportManifest | undefined {
  const parsed = v.safeParse(ReportManifestSchema, parseJson(text));
  return parsed.success ? parsed.output : undefined;
}
