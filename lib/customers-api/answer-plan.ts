import type { OutlinePlan } from '../json/json-outline.ts';
import { isErrorList, isErrorMember } from './error-body.ts';
import { isEvidenceMember, type MetaKeys, wordOf } from './list-evidence.ts';

/** The members that are read of every answer; its records are cut out beside that. @param metaKeys Names more members. */
export function answerPlan(metaKeys: MetaKeys): OutlinePlan {
  const paths = Object.values(metaKeys).filter((path) => typeof path === 'string');
  const exact = new Set(['id', ...paths.flatMap((path) => path.split('.'))]);
  return {
    isWanted: (name) => {
      const word = wordOf(name);
      return exact.has(name) || isErrorMember(word) || isEvidenceMember(name, word);
    },
    isFirstWanted: (name) => isErrorList(wordOf(name)),
  };
}

export const READ_ALWAYS = answerPlan({});
