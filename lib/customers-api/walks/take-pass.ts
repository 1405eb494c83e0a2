import { advanceWalk } from '../list-walk.ts';
import type { Page } from '../outcome.ts';
import { startWalk } from '../walk-state.ts';
import { counted, type Step, type VerifiedWalk } from './verified-walk.ts';

/** Goes on page after page from the answer that shows that windows cannot be had; nothing of it is stored. */
export function readPages(
  walk: VerifiedWalk,
  reason: string,
  taken: Step['taken'] = { kind: 'dropped', next: 'anew' },
): Step {
  if (taken.kind === 'refused') return { walk, taken };
  const isDropped = taken.kind === 'dropped';
  const counts = isDropped ? counted(walk, { dropped: 1 }) : walk.counts;
  return { walk: toPages({ ...walk, counts }, reason), taken: { ...taken, next: 'anew' } };
}

/** Goes on page after page, from the page that holds the first row that is not read. */
export function toPages(walk: VerifiedWalk, reason: string): VerifiedWalk {
  const { list, size, covered } = walk;
  const { firstPage, perPage } = list;
  const pagesRead = size === 0 ? 1 : Math.max(1, Math.floor(covered / size));
  const records = pagesRead * size;
  return {
    ...walk,
    stage: 'pages',
    plan: [],
    list: {
      ...startWalk(firstPage, perPage),
      nextPage: firstPage + pagesRead,
      records,
      largestPageRecords: size,
      lastPageRecords: size,
      emptyPagesInRow: list.emptyPagesInRow,
      ...(list.lastTotal === undefined ? {} : { lastTotal: list.lastTotal }),
      ...(list.firstFingerprint === undefined ? {} : { firstFingerprint: list.firstFingerprint }),
    },
    pass: { ...walk.pass, isWhole: walk.pass.isWhole && pagesRead === 1 },
    open: [...walk.open, reason],
  };
}

export function takePass(walk: VerifiedWalk, page: Page): Step {
  const { walk: list, decision } = advanceWalk(walk.list, page);
  if (decision.kind === 'refused') return { walk, taken: decision };
  const read = decision.takeRecords;
  const after: VerifiedWalk = {
    ...walk,
    list,
    stored: walk.stored + (read ? page.recordCount : 0),
    pass: {
      ...walk.pass,
      digest: read ? passDigest(walk.pass.digest, page.recordHashes) : walk.pass.digest,
    },
    counts: counted(walk, { dropped: read ? 0 : 1 }),
  };
  const kind = read ? 'page' : 'dropped';
  if (decision.kind === 'more') return { walk: after, taken: { kind, next: 'on' } };
  return { walk: { ...after, found: decision }, taken: { kind, next: 'on', isOver: true } };
}

/** 64 bits over all ids in their order, 16 hex digits; empty before the first. */
export function passDigest(digest: string, recordHashes: Uint32Array): string {
  let low = Number.parseInt(digest.slice(8), 16) || 0x2545f491;
  let high = Number.parseInt(digest.slice(0, 8), 16) || 0x9e3779b9;
  for (const word of recordHashes) {
    low = Math.imul(((low << 13) | (low >>> 19)) ^ word, 0x85ebca6b);
    high = Math.imul(((high << 17) | (high >>> 15)) ^ word ^ low, 0xc2b2ae35);
  }
  return hexOf(high) + hexOf(low);
}

function hexOf(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
