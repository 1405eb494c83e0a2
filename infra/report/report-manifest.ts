import * as v from 'valibot';
import type { WalkCounts } from '../../lib/customers-api/walks/taken.ts';
import { parseJson } from '../../lib/json/json-value.ts';

const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const times = v.exactOptional(whole);

const walkCounts = {
  answers: times,
  dropped: times,
  skipped: times,
  gaps: times,
  recovered: times,
  frontChecks: times,
  tailChecks: times,
  passes: times,
} satisfies { readonly [K in keyof WalkCounts]-?: v.GenericSchema };

const texts = v.pipe(v.array(v.string()), v.readonly());

/** Members that only later or earlier versions have are passed over. */
const ReportManifestSchema = v.object({
  endedAt: v.pipe(v.string(), v.isoTimestamp()),
  totals: v.object({ pages: whole, customers: whole, bytes: whole, storedBytes: whole }),
  parts: v.pipe(
    v.array(
      v.object({
        key: v.string(),
        pages: whole,
        customers: whole,
        storedBytes: whole,
        sha256: v.string(),
      }),
    ),
    v.readonly(),
  ),
  completeness: v.object({ verdict: v.string(), reasons: texts }),
  walk: v.exactOptional(
    v.object({ kind: v.string(), order: v.string(), counts: v.object(walkCounts) }),
  ),
  end: v.object({ contradictions: texts }),
  warnings: v.pipe(v.array(v.object({ message: v.string(), pages: whole })), v.readonly()),
  requests: whole,
  throttles: whole,
  waitedSeconds: whole,
});

/** As much of a manifest as a report shows. */
export type ReportManifest = Readonly<v.InferOutput<typeof ReportManifestSchema>>;

/** `undefined` for a manifest of a version that did not say all of this. */
export function parseReportManifest(text: string): ReportManifest | undefined {
  const parsed = v.safeParse(ReportManifestSchema, parseJson(text));
  return parsed.success ? parsed.output : undefined;
}
