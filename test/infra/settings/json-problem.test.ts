import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { jsonProblem } from '../../../infra/settings/json-problem.ts';

test.each([
  ['', 'it is empty'],
  ['\uFEFF{"canary": 1}', 'it begins with a byte order mark'],
  ['\uFEFF', 'it begins with a byte order mark'],
  ['{"a": 1', 'it is not JSON: it ends too early, at line 1, column 8'],
  ['{"a": "x', 'it is not JSON: it ends too early, at line 1, column 9'],
  ['{\n  "a": 1,\n}', 'line 3, column 1 on'],
  ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3 on'],
  ["{'a': 1}", 'line 1, column 2 on'],
  ['{"a": canary}', 'line 1, column 7 on'],
  ['{"a": trux}', 'line 1, column 10 on'],
  ['{"a": 01}', 'line 1, column 8 on'],
  ['{"a": 1} // canary', 'line 1, column 10 on'],
])('says of %j where it stops to be JSON, and quotes nothing', (text, problem) => {
  expect(jsonProblem(text)).toContain(problem);
  expect(jsonProblem(text)).not.toContain('canary');
});

test('names the place of a character that cannot be there, in any text', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, chance) => {
      const text = JSON.stringify(value, undefined, 2);
      expect(jsonProblem(text)).toBeUndefined();
      const at = chance % text.length;
      const lines = text.slice(0, at).split('\n');
      // No JSON text has this control character anywhere.
      expect(jsonProblem(`${text.slice(0, at)}\u0001${text.slice(at)}`)).toContain(
        `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1} on`,
      );
    }),
  );
});
