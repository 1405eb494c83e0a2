import { isJsonObject } from '../json/json-value.ts';
import {
  BLOCKS,
  EVIDENCE_NAMES,
  EVIDENCE_OF,
  type EvidenceName,
  type ListEvidence,
  type MetaKeys,
  wordOf,
} from './list-evidence.ts';
import { shownText } from './shown-text.ts';

// meta.pagination.links is the deepest nesting seen in real APIs.
const MAX_DEPTH = 4;

/**
 * Reads the evidence of a body. Counts must be whole and not negative; the next and the previous
 * page may be numbers, links, booleans or null.
 *
 * @param body The body's value, or its outline with all members that {@link isEvidenceMember} knows.
 * @param metaKeys Places that the user named; they win over names found by rule.
 */
export function readEvidence(body: unknown, metaKeys: MetaKeys = {}): ListEvidence {
  const { found, warnings } = evidencePlaces(body, metaKeys);
  const evidence = agreed(found, warnings);
  return { ...evidence, warnings: warnings.slice(0, MAX_WARNINGS) };
}

/** Where a body has evidence, and what was read there; several places of one name may contradict each other. */
export function evidencePlaces(
  body: unknown,
  metaKeys: MetaKeys = {},
): {
  readonly found: ReadonlyMap<EvidenceName, readonly EvidencePlace[]>;
  readonly warnings: string[];
} {
  const found = new Map<EvidenceName, EvidencePlace[]>();
  const warnings: string[] = [];
  const add = (name: EvidenceName, path: string, value: unknown) => {
    const read = readValue(name, value);
    if (read === undefined) warnings.push(`${path} is not usable as ${name}`);
    else found.set(name, [...(found.get(name) ?? []), { path, value: read }]);
  };

  for (const { name, path, value } of memberWalk(body, [], 0)) {
    if (metaKeys[name] === undefined) add(name, path, value);
  }
  for (const name of EVIDENCE_NAMES) {
    const path = metaKeys[name];
    if (typeof path !== 'string') continue;
    const value = valueAt(body, path);
    if (value === undefined) warnings.push(`metaKeys.${name} names ${path}, which is not there`);
    else add(name, path, value);
  }
  return { found, warnings };
}

/** Names of evidence are short, and no real answer has more of it. */
const MAX_PATH_LENGTH = 100;
const MAX_PATHS = 3;
const MAX_WARNINGS = 20;

export interface EvidencePlace {
  /** Member names from the root, joined by dots, as they may be shown. */
  readonly path: string;
  readonly value: number | boolean | 'some' | 'none';
}

function agreed(
  found: ReadonlyMap<EvidenceName, readonly EvidencePlace[]>,
  warnings: string[],
): Omit<ListEvidence, 'warnings'> {
  const entries = [...found].flatMap(([name, findings]) => {
    const values = new Set(findings.map((finding) => finding.value));
    // A link says only that there is a next page; a number beside it says which.
    if (values.size > 1) values.delete('some');
    const [value] = values;
    if (values.size === 1) return [[name, value] as const];
    const paths = findings
      .slice(0, MAX_PATHS)
      .map((finding) => finding.path)
      .join(' and ');
    warnings.push(`${paths} contradict each other as ${name}`);
    return [];
  });
  return Object.fromEntries(entries);
}

function readValue(name: EvidenceName, value: unknown): EvidencePlace['value'] | undefined {
  switch (name) {
    case 'hasMore':
      return typeof value === 'boolean' ? value : undefined;
    case 'previousPage':
      // A plain 0 may be the page before page 1 or a way to say that there is none.
      return value === 0 ? undefined : readNeighbour(value);
    case 'nextPage':
      return readNeighbour(value);
    default:
      return isCount(value) ? value : undefined;
  }
}

function readNeighbour(value: unknown): number | 'some' | 'none' | undefined {
  if (value === null || value === false || value === '') return 'none';
  if (isCount(value)) return value;
  if (typeof value === 'string') return pageInLink(value) ?? 'some';
  if (isJsonObject(value) && 'href' in value) return readNeighbour(value['href']);
  return value === true ? 'some' : undefined;
}

/** The page number in a link's query, under the usual names. */
function pageInLink(link: string): number | undefined {
  const digits =
    /[?&](?:page|page(?:%5B|\[)number(?:%5D|\])|page_?number|p)=(\d{1,15})(?:&|#|$)/i.exec(
      link,
    )?.[1];
  return digits === undefined ? undefined : Number(digits);
}

interface Member {
  readonly name: EvidenceName;
  readonly path: string;
  readonly value: unknown;
}

/** The members with a usual name, in the root and in the blocks that hold evidence. */
function* memberWalk(node: unknown, path: readonly string[], depth: number): Generator<Member> {
  if (!isJsonObject(node) || depth > MAX_DEPTH) return;
  for (const [key, value] of Object.entries(node)) {
    const word = wordOf(key);
    const name = EVIDENCE_OF.get(word);
    const here = [...path, key];
    const isLink = name === 'nextPage' || name === 'previousPage';
    if (BLOCKS.has(word) && isJsonObject(value)) yield* memberWalk(value, here, depth + 1);
    else if (name !== undefined && (isLink || !isJsonObject(value)) && !Array.isArray(value)) {
      yield { name, path: shownText(here.join('.'), MAX_PATH_LENGTH), value };
    }
  }
}

function valueAt(body: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce(
      (node: unknown, key) =>
        isJsonObject(node) && Object.hasOwn(node, key) ? node[key] : undefined,
      body,
    );
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
