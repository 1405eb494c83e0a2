import * as v from 'valibot';
import { defined } from '../defined.ts';
import { maybe, type Stored, text, timeMs } from '../stored.ts';
import { digest, type OrganizationSample } from './organization-sample.ts';

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
