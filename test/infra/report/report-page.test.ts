import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ReportData } from '../../../infra/report/report-data.ts';
import { reportPage } from '../../../infra/report/report-page.ts';
import { REPORT_STYLE } from '../../../infra/report/report-style.ts';
import { anyCharacter } from '../../any-character.ts';
import { reportData } from './report-sample.ts';

const visible = (page: string) =>
  page
    .replace(/<style>.*<\/style>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

test('shows figures, verdict, course, requests, steps, parts, changes, schema and cost of one export', () => {
  const text = visible(reportPage(reportData()));
  for (const expected of [
    'Export of customers, connection acme',
    'completed, complete . Its files hold the same records',
    'Records 1,500 Pages 15 Requests 18 Throttled 3 Asked to wait 4.0 s',
    'All counts agree.',
    'Gaps between pages, read again 2',
    '3 added, 2 changed, 1 removed, 1,494 as they were.',
    'Compared with request-0',
    'Waited 4.0 s',
    '1 request throttled',
    'the simulated API allows 25 requests a second, and 20 requests at once after a pause',
    "Requests before their time, by the API's own log: 0 .",
    '1 step, as seen in the ledger',
    'part-00001-aaaa.ndjson.gz',
    '$.address.city text, null 1,400',
    'Lambda 0.000070 USD',
  ]) {
    expect(text).toContain(expected);
  }
});

test('shows why an export stopped, and nothing that is not known', () => {
  const { connection, list, exportId, startedAtMs } = reportData();
  const reason = { code: 'authentication-failure', message: 'The key was rejected.' } as const;
  const stopped = { connection, list, exportId, startedAtMs, course: [], reason };
  const text = visible(reportPage({ ...stopped, status: 'halted' }));

  expect(text).toContain('halted');
  expect(text).toContain('The key was rejected. Code authentication-failure');
  for (const absent of ['verdict', 'Parts', 'Cost', 'Steps', 'over time', 'NaN', 'undefined']) {
    expect(text).not.toContain(absent);
  }
});

/** What a page may be made of: no script, no link, no form, and nothing that loads anything. */
const TAGS = new Set(
  `body caption code dd details div dl dt figcaption figure h1 h2 head header html i li line main meta p path rect
  section span strong style summary svg table tbody td text th thead title tr ul`.split(/\s+/),
);
const ATTRIBUTES = new Set(
  `aria-label charset class content d dy height http-equiv lang name role scope tabindex text-anchor transform
  viewBox width x x1 x2 y y1 y2`.split(/\s+/),
);

test('no text of an API or a person becomes a tag or an attribute', () => {
  const hostile = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom('</title><script>alert(1)</script>', '" onload="x', "' onx='", '<img src=x>'),
  );
  fc.assert(
    fc.property(hostile, (text) => {
      const page = reportPage(hostileData(text));
      const markup = page.replace(/<style>.*<\/style>/s, '<style>').replace('<!doctype html>', '');
      const [tags, attributes, rests] = [new Set<string>(), new Set<string>(), new Set<string>()];
      for (const [, name = '', inside = ''] of markup.matchAll(/<\/?([^\s/>]*)([^>]*)/g)) {
        tags.add(name);
        rests.add(inside.replace(/\s[\w-]+="[^"]*"/g, '').trim());
        for (const [, attribute = ''] of inside.matchAll(/\s([\w-]+)="/g))
          attributes.add(attribute);
      }
      expect([...tags].filter((name) => !TAGS.has(name))).toEqual([]);
      expect([...attributes].filter((name) => !ATTRIBUTES.has(name))).toEqual([]);
      expect([...rests].filter((rest) => rest !== '' && rest !== '/')).toEqual([]);
    }),
  );
  expect(reportPage(reportData())).toContain('default-src &#39;none&#39;');
});

function hostileData(text: string): ReportData {
  const data = reportData();
  const { manifest, changes, schema, cost } = data;
  const [part] = manifest?.parts ?? [];
  if (!manifest || !part || !changes || !schema || !cost) throw new Error('the sample has all');
  return {
    ...data,
    ...{ connection: text, list: text, exportId: text },
    reason: { code: 'refused', message: text },
    manifest: {
      ...manifest,
      parts: [{ ...part, key: text, sha256: text }],
      completeness: { verdict: 'drifted', reasons: [text] },
      warnings: [{ message: text, pages: 1 }],
      end: { contradictions: [text] },
    },
    changes: { ...changes, samples: [{ change: 'changed', id: text, members: [text] }] },
    schema: { ...schema, record: { types: { object: 1 }, members: [memberOf(text)] } },
    cost: { basis: text, byService: { [text]: 1 } },
    limit: { requestsPerSecond: 1, says: text },
    unknown: [text],
  };
}

const memberOf = (name: string) => ({ name, present: 1, always: true, types: { text: 1 } });

/** Pairs of what is read or looked at and what is behind it, with the least contrast (WCAG 2.2, 1.4.3 and 1.4.11). */
const PAIRS = [
  ...['text', 'soft', 'good', 'doubt', 'bad'].map((name) => [name, 'card', 4.5] as const),
  ...['line', 'answered', 'throttled', 'failed', 'link'].map((name) => [name, 'card', 3] as const),
  ['line', 'wait', 3] as const,
];

test.each(['light', 'dark'])('has enough contrast in the %s scheme', (scheme) => {
  const [light = '', dark = ''] = REPORT_STYLE.split('@media (prefers-color-scheme: dark)');
  const colours = new Map(
    [...(scheme === 'dark' ? dark : light).matchAll(/--(\w+): #(\w{6})/g)].map(
      ([, name = '', hex = '']) => [name, hex],
    ),
  );
  const of = (name: string) => luminance(colours.get(name) ?? '');
  for (const [front, behind, least] of PAIRS) {
    const [darker = 0, lighter = 0] = [of(front), of(behind)].sort((a, b) => a - b);
    expect({ front, ratio: (lighter + 0.05) / (darker + 0.05) >= least }).toEqual({
      front,
      ratio: true,
    });
  }
});

/** Relative luminance (WCAG 2.2). */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
