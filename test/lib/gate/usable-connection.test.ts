import { expect, test } from '@jest/globals';
import { isHalted } from '../../../lib/gate/usable-connection.ts';

const v1 = { keyVersion: 'v1', createdAtMs: 1_000 };

test.each([
  ['that is named', v1, { haltedKeyVersions: ['v0', 'v1'] }, true],
  ['that is not named', v1, { haltedKeyVersions: ['v0'] }, false],
  ['stored until the time of which none is named', v1, { haltedUntilMs: 1_000 }, true],
  ['stored after it', v1, { haltedUntilMs: 999 }, false],
  ['stored after it that is named', v1, { haltedKeyVersions: ['v1'], haltedUntilMs: 999 }, true],
  ['of an unknown time', { keyVersion: 'v1' }, { haltedUntilMs: 1 }, true],
  ['of an unknown time while each is named', { keyVersion: 'v1' }, {}, false],
])('a version %s may not be sent: %j by %j, %s', (_, version, gate, expected) => {
  expect(isHalted(version, { haltedKeyVersions: [], ...gate })).toBe(expected);
});
