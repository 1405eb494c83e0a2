import * as v from 'valibot';
import { type ExactMembers, readMembers } from '../../lib/json/exact-json.ts';

/** The schema of a body that is a JSON object with these members and no others, each once; its values are texts. */
export function jsonMembers(names: readonly string[]) {
  return v.pipe(
    v.string(),
    v.rawTransform<string, ExactMembers>(({ dataset, addIssue, NEVER }) => {
      const body = dataset.value;
      const read = readMembers(body);
      if (read.kind === 'unreadable') {
        addIssue({ message: read.problem, ...at(body, read.member) });
        return NEVER;
      }
      const stranger = [...read.members.keys()].find((name) => !names.includes(name));
      if (stranger === undefined) return read.members;
      addIssue({ message: '', expected: 'never', ...at(body, stranger) });
      return NEVER;
    }),
  );
}

/** The place of a member for valibot, which knows the body as a text alone. */
function at(input: string, key: string | undefined): { path?: [v.UnknownPathItem] } {
  if (key === undefined) return {};
  return { path: [{ type: 'unknown', origin: 'value', input, key, value: undefined }] };
}
