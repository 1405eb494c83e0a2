import * as v from 'valibot';
import { isJsonObject } from './json/json-value.ts';

/**
 * A schema of an object whose members may have any name; each own member is checked. `v.record` leaves out
 * those called `__proto__`, `prototype` and `constructor` without an issue, so nobody would hear of them.
 */
export function recordOf<Value>(
  name: v.GenericSchema<string, string>,
  value: v.GenericSchema<unknown, Value>,
): v.GenericSchema<unknown, Readonly<Record<string, Value>>> {
  const raw = v.rawTransform<unknown, Readonly<Record<string, Value>>>(
    ({ dataset: { value: input }, config: given, addIssue, NEVER }) => {
      if (!isJsonObject(input)) {
        addIssue({ label: 'type', expected: 'Object' });
        return NEVER;
      }
      const config = configOf(given);
      const members: [string, Value][] = [];
      for (const [key, member] of Object.entries(input)) {
        const read = v.safeParse(v.tuple([name, value]), [key, member], config);
        if (read.success) members.push(read.output);
        for (const issue of read.issues ?? []) {
          const [{ key: isValue } = { key: 0 }, ...path] = issue.path ?? [];
          const origin = isValue === 1 ? 'value' : 'key';
          const place = { type: 'object', origin, input, key, value: member } as const;
          const { message, expected, received } = issue;
          const problem = { message, expected: expected ?? undefined, received };
          addIssue({ ...problem, input: issue.input, path: [place, ...path] });
        }
      }
      // Unlike an assignment, this makes a member called `__proto__` too.
      return Object.fromEntries(members);
    },
  );
  return v.pipe(v.unknown(), raw);
}

/** The same settings for the schemas of the members, whose issues are of any kind. */
function configOf({ message, ...config }: v.Config<v.RawTransformIssue<unknown>>) {
  if (typeof message !== 'function') return { ...config, message };
  const ofAny: v.ErrorMessage<v.BaseIssue<unknown>> = (issue) =>
    message({ ...issue, kind: 'transformation', type: 'raw_transform' });
  return { ...config, message: ofAny };
}
