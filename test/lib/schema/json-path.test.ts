import { expect, test } from '@jest/globals';
import { ELEMENTS, jsonPathOf, type PathStep } from '../../../lib/schema/json-path.ts';

test.each<[readonly PathStep[], string]>([
  [[], '$'],
  [['address', 'city'], '$.address.city'],
  [['tags', ELEMENTS, 'größe'], '$.tags[*].größe'],
  [['a.b', '*', ''], "$['a.b']['*']['']"],
  [["it's", '"', '\\', '\n'], "$['it\\'s']['\"']['\\\\']['\\n']"],
  [['\ud800'], "$['\\ud800']"],
])('writes %j as %s', (steps, path) => {
  expect(jsonPathOf(steps)).toBe(path);
});
