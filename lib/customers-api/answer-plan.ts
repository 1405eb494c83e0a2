import type { OutlinePlan } from '../json/json-outline.ts';
import { ERROR_LISTS, ERROR_MEMBERS } from './error-body.ts';
import { isEvidenceMember, type MetaKeys } from './list-evidence.ts';

/** The members that are read of every answer; its records are cut out beside that. @param metaKeys Names more members. */
export function answerPlan(metaKeys: MetaKeys): OutlinePlan {
  const paths = Object.values(metaKeys).filter((path) => typeof path === 'string');
  const exact = new Set([...ERROR_MEMBERS, 'id', ...paths.flatMap((path) => path.split('.'))]);
  const lists = new Set(ERROR_LISTS);
  return {
    isWanted: (name) => exact.has(name) || isEvidenceMember(name),
    isFirstWanted: (name) => lists.has(name),
  };
}

export const READ_ALWAYS = answerPlan({});
