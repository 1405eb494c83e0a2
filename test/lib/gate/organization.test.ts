import { expect, test } from '@jest/globals';
import { defined } from '../../../lib/defined.ts';
import {
  afterCheck,
  type Credential,
  credentialName,
  decideAdmission,
  type Organization,
} from '../../../lib/gate/organization.ts';
import type { OrganizationSample } from '../../../lib/gate/organization-sample.ts';

const NOW_MS = 1_000_000;
const ORGANIZATION: Organization = { writeToken: 'w', id: 'acme', credentials: ['v1/a'] };
const SAMPLE: OrganizationSample = {
  resource: 'customers',
  query: {},
  page: 7,
  hashes: ['h', 'i', 'j', 'k'],
  atMs: 1,
};

function credential(name: string, organizationLabel?: string): Credential {
  const [keyVersion = ''] = name.split('/');
  return {
    credential: name,
    keyVersion,
    ...(organizationLabel === undefined ? {} : { organizationLabel }),
  };
}

const CASES: readonly [
  string,
  Parameters<typeof decideAdmission>[0],
  Credential,
  Record<string, unknown>,
][] = [
  [
    'the first credential makes the organization',
    {},
    credential('v1/a'),
    { kind: 'store', next: { id: 'new', credentials: ['v1/a'] } },
  ],
  [
    'a known credential needs nothing',
    { organization: ORGANIZATION },
    credential('v1/a'),
    { kind: 'known' },
  ],
  [
    'without a sample another credential is another organization',
    { organization: ORGANIZATION },
    credential('v2/a'),
    { kind: 'store', next: { id: 'new', unannounced: { shownBy: 'nothing', previousId: 'acme' } } },
  ],
  [
    'with a sample another credential is checked',
    { organization: ORGANIZATION, sample: SAMPLE },
    credential('v2/a'),
    { kind: 'check', next: { id: 'acme', check: { credential: 'v2/a' } }, sample: SAMPLE },
  ],
  [
    'equal labels are the same organization, without a request',
    { organization: { ...ORGANIZATION, label: 'Acme' }, sample: SAMPLE },
    credential('v2/a', 'Acme'),
    { kind: 'store', next: { id: 'acme', credentials: ['v1/a', 'v2/a'] } },
  ],
  [
    'different labels are different organizations, without a request',
    { organization: { ...ORGANIZATION, label: 'Acme' }, sample: SAMPLE },
    credential('v2/a', 'Other'),
    { kind: 'store', next: { id: 'new', label: 'Other', unannounced: { shownBy: 'label' } } },
  ],
  [
    'one label alone shows nothing',
    { organization: ORGANIZATION, sample: SAMPLE },
    credential('v2/a', 'Acme'),
    { kind: 'check' },
  ],
  [
    'one caller checks, the others wait for it',
    {
      organization: { ...ORGANIZATION, check: { credential: 'v2/a', untilMs: NOW_MS + 1 } },
      sample: SAMPLE,
    },
    credential('v2/a'),
    { kind: 'being-checked', untilMs: NOW_MS + 1 },
  ],
  [
    'a check whose caller is dead is taken over',
    {
      organization: { ...ORGANIZATION, check: { credential: 'v2/a', untilMs: NOW_MS } },
      sample: SAMPLE,
    },
    credential('v2/a'),
    { kind: 'check' },
  ],
];

test.each(CASES)('%s', (_, seen, candidate, expected) => {
  expect(decideAdmission(seen, candidate, 'new', NOW_MS)).toMatchObject(expected);
});

test('the same key version at another address, in another header or stored again is another credential', () => {
  const at = (address: string, header: string, createdAtMs?: number) =>
    credentialName(
      { keyVersion: 'v1', ...defined({ createdAtMs }) },
      { apiRoot: new URL(address), header },
    );
  const names = [
    at('https://api.example.com/2.0/', 'API-KEY'),
    at('https://eu.example.com/2.0/', 'API-KEY'),
    at('https://api.example.com/2.0/', 'X-Key'),
    at('https://api.example.com/3.0/', 'API-KEY'),
    at('https://api.example.com/2.0/', 'API-KEY', 1_763_985_600_000),
    at('https://api.example.com/2.0/', 'API-KEY', 1_763_985_600_001),
  ];
  expect(new Set(names).size).toBe(6);
  expect(at('https://API.example.com/2.0/', 'api-key')).toBe(names[0]);
});

test('remembers the twenty newest credentials, and keeps the label when a secret lacks it', () => {
  let organization: Organization = { ...ORGANIZATION, label: 'Acme' };
  for (let version = 2; version <= 30; version++) {
    const at = { token: `t${version}`, nowMs: NOW_MS };
    organization = afterCheck(organization, credential(`v${version}/a`), true, at);
  }
  expect(organization.credentials).toEqual(
    Array.from({ length: 20 }, (_, index) => `v${index + 11}/a`),
  );
  expect(organization).toMatchObject({ id: 'acme', label: 'Acme' });
});
