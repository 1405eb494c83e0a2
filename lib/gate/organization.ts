import { hash } from 'node:crypto';
import * as v from 'valibot';
import { defined } from '../defined.ts';
import { recordOf } from '../record-of.ts';
import { count, maybe, type Stored, text, timeMs } from '../stored.ts';

/**
 * The organization of a connection, as far as its keys have shown it; part of the ledger item `gate`. Only the
 * key decides which organization answers, so each new credential counts as another organization until it is shown
 * that it is the same one.
 */
export type Organization = Stored<typeof OrganizationSchema>;

export type OrganizationChange = NonNullable<Organization['unannounced']>;

export const OrganizationSchema = v.object({
  /** Replaced with every write. */
  writeToken: text,
  /** The same for all credentials of one organization. Random: it says nothing about the organization. */
  id: text,
  /** Credentials that belong to this organization, oldest first (see {@link Credential}). */
  credentials: v.array(text),
  /** `organization` of the newest secret that has one. */
  label: maybe(text),
  /** Present while a caller compares the sample; after `untilMs` that caller is taken for dead. */
  check: maybe(v.object({ credential: text, untilMs: timeMs })),
  /** The change to this organization; present until its event is published. */
  unannounced: maybe(
    v.object({
      atMs: timeMs,
      previousId: text,
      /** VersionId of the secret that is of another organization. */
      keyVersion: text,
      /** The labels differ, the records differ, or neither could be compared. */
      shownBy: v.picklist(['label', 'sample', 'nothing']),
    }),
  ),
});

/** An API may make a few records for each new organization, such as a walk-in customer: fewer show nothing. */
const LEAST_IN_COMMON = 4;

/** Some records of one page of `SAMPLED_LIST`, as received, to recognize the organization by. */
export type OrganizationSample = Stored<typeof SampleSchema>;

export const SampleSchema = v.object({
  resource: text,
  page: count,
  perPage: maybe(count),
  query: recordOf(text, text),
  /** Of whole records, see {@link sampleOf}. A smaller sample, which older versions kept, counts as none. */
  hashes: v.pipe(v.array(text), v.minLength(LEAST_IN_COMMON)),
  atMs: timeMs,
});

/** Whoever stores a secret may choose its VersionId (`ClientRequestToken`). */
export interface StoredVersion {
  /** VersionId of the secret. */
  readonly keyVersion: string;
  /** When it was stored, milliseconds since the epoch; absent when Secrets Manager does not say so. */
  readonly createdAtMs?: number;
}

/** A key in its place: what is sent where. */
export interface Credential extends StoredVersion {
  /** Names the version of the secret and its time, the base URL and the header; contains nothing of the key. */
  readonly credential: string;
  /** `organization` of the secret: equal labels are the same organization, different ones are not. */
  readonly organizationLabel?: string;
}

/**
 * The same key version sent to another address, or in another header, is another credential. So is one that was stored
 * at another time: Secrets Manager takes the VersionId from whoever stores a secret, and a secret that is deleted and
 * made again may hold another key under the same one.
 */
export function credentialName(
  { keyVersion, createdAtMs }: StoredVersion,
  { apiRoot, header }: { readonly apiRoot: URL; readonly header: string },
): string {
  const place = `${header.toLowerCase()} ${apiRoot.href} ${createdAtMs ?? ''}`;
  return `${keyVersion}/${digest(place, 12)}`;
}

/** A rotation a day for three weeks; a write that waits longer is left to a person. */
const MAX_CREDENTIALS = 20;

/** A check is one request and two small writes, each of which may hang until the SDK repeats it. */
const CHECK_LEASE_MS = 60_000;

export type AdmissionDecision =
  /** The credential belongs to the organization. */
  | { readonly kind: 'known'; readonly organization: Organization }
  /** Another caller compares the sample. */
  | { readonly kind: 'being-checked'; readonly untilMs: number }
  /** No request is needed: store `next`; then the credential belongs to it. */
  | { readonly kind: 'store'; readonly next: Organization }
  /** Store `next`, then ask for the page of the sample; see {@link afterCheck}. */
  | { readonly kind: 'check'; readonly next: Organization; readonly sample: OrganizationSample };

interface Seen {
  readonly organization?: Organization;
  readonly sample?: OrganizationSample;
}

/** Decides whether a credential may be used, and as which organization. */
export function decideAdmission(
  { organization, sample }: Seen,
  candidate: Credential,
  token: string,
  nowMs: number,
): AdmissionDecision {
  const { credential, organizationLabel: label } = candidate;
  if (organization === undefined) {
    const first = { writeToken: token, id: token, credentials: [credential] };
    return { kind: 'store', next: { ...first, ...defined({ label }) } };
  }
  if (organization.credentials.includes(credential)) return { kind: 'known', organization };
  const changed = (shownBy: OrganizationChange['shownBy']) =>
    anotherOrganization(organization, candidate, shownBy, { token, nowMs });
  if (label !== undefined && organization.label !== undefined) {
    const isSame = label === organization.label;
    const next = isSame ? sameOrganization(organization, candidate, token) : changed('label');
    return { kind: 'store', next };
  }
  if (sample === undefined) return { kind: 'store', next: changed('nothing') };
  const running = runningCheck(organization, nowMs);
  if (running !== undefined) return { kind: 'being-checked', untilMs: running.untilMs };
  const check = { credential, untilMs: nowMs + CHECK_LEASE_MS };
  return { kind: 'check', next: { ...organization, writeToken: token, check }, sample };
}

/** The check that another caller is at. */
export function runningCheck({ check }: Organization, nowMs: number): Organization['check'] {
  return check !== undefined && check.untilMs > nowMs ? check : undefined;
}

export function afterCheck(
  checked: Organization,
  candidate: Credential,
  isSame: boolean,
  at: { readonly token: string; readonly nowMs: number },
): Organization {
  return isSame
    ? sameOrganization(checked, candidate, at.token)
    : anotherOrganization(checked, candidate, 'sample', at);
}

/** The check had no result: another caller may try. */
export function withoutCheck(
  { check: _check, ...rest }: Organization,
  token: string,
): Organization {
  return { ...rest, writeToken: token };
}

export function announced(
  { unannounced: _told, ...rest }: Organization,
  token: string,
): Organization {
  return { ...rest, writeToken: token };
}

function sameOrganization(
  organization: Organization,
  { credential, organizationLabel: label }: Credential,
  token: string,
): Organization {
  const credentials = [...organization.credentials, credential].slice(-MAX_CREDENTIALS);
  return { ...withoutCheck(organization, token), credentials, ...defined({ label }) };
}

function anotherOrganization(
  { id: previousId }: Organization,
  { credential, keyVersion, organizationLabel: label }: Credential,
  shownBy: OrganizationChange['shownBy'],
  { token, nowMs }: { readonly token: string; readonly nowMs: number },
): Organization {
  return {
    writeToken: token,
    id: token,
    credentials: [credential],
    ...defined({ label }),
    unannounced: { atMs: nowMs, previousId, keyVersion, shownBy },
  };
}

/** Whether nothing could be compared when it was taken for another one: a sample that has come since then could be. */
export function isUncompared(next: Organization, seen: Organization | undefined): boolean {
  return next.id !== seen?.id && next.unannounced?.shownBy === 'nothing';
}

/** Enough that a few changed records do not matter, few enough that the gate's item stays small. */
const SAMPLE_RECORDS = 16;
/** 96 bits: no two different records have the same hash by chance. */
const HASH_LENGTH = 16;

/** Of records that are equal one is enough. @returns `undefined` for a page with too few records to show anything. */
export function sampleOf(
  { resource, page, perPage, query }: Omit<OrganizationSample, 'hashes' | 'atMs'>,
  records: readonly string[],
  nowMs: number,
): OrganizationSample | undefined {
  const distinct = [...new Set(records)];
  if (distinct.length < LEAST_IN_COMMON) return undefined;
  const count = Math.min(distinct.length, SAMPLE_RECORDS);
  const hashes = Array.from({ length: count }, (_, index) =>
    hashOf(distinct[Math.floor((index * distinct.length) / count)] ?? ''),
  );
  return { resource, page, ...defined({ perPage }), query, hashes, atMs: nowMs };
}

/**
 * The only list whose records show which organization it is: of others, such as currencies, every organization may
 * have the same records.
 */
export const SAMPLED_LIST = 'customers';

/**
 * Whether more than half of the sample's records are on the page, in any order, and no fewer than
 * {@link LEAST_IN_COMMON}: some may have changed since, and every organization may have a few equal ones.
 */
export function showsSame({ hashes }: OrganizationSample, records: readonly string[]): boolean {
  const received = new Set(records.map(hashOf));
  const inCommon = hashes.filter((hash) => received.has(hash)).length;
  return inCommon >= LEAST_IN_COMMON && inCommon * 2 > hashes.length;
}

function hashOf(record: string): string {
  return digest(record, HASH_LENGTH);
}

function digest(text: string, length: number): string {
  return hash('sha256', text, 'base64url').slice(0, length);
}
