import type { Clock, NoKey } from './ports.ts';

export type NotSent =
  /** The wait for the connection is not over. */
  | {
      readonly kind: 'blocked';
      /** Milliseconds since the epoch. */
      readonly untilMs: number;
      /** Whole seconds from now, 1 or more. */
      readonly retryAfterSeconds: number;
      /**
       * The API asked for no wait: other callers of the connection have taken all that its limit admits until then.
       *
       * @default - the API asked for the wait, or another caller finds out whose key it is
       */
      readonly isLimitUsedUp?: true;
    }
  /** The newest key version failed authentication. */
  | { readonly kind: 'halted'; readonly keyVersion: string; readonly message: string }
  /** The key is new, and the request that would show its organization had no usable answer. Try again later. */
  | { readonly kind: 'organization-unproven'; readonly message: string }
  | NoKey;

/** What a client that is bound to an organization, or to one key of it, may say too: the key of now is another one. */
export type BoundNotSent =
  | NotSent
  | { readonly kind: 'key-changed' }
  | { readonly kind: 'organization-changed'; readonly message: string };

export type Blocked = Extract<NotSent, { kind: 'blocked' }>;

export function blocked(clock: Pick<Clock, 'now'>, untilMs: number): Blocked {
  const retryAfterSeconds = Math.max(1, Math.ceil((untilMs - clock.now()) / 1000));
  return { kind: 'blocked', untilMs, retryAfterSeconds };
}

export function haltedBy(
  connection: string,
  keyVersion: string,
): Extract<NotSent, { kind: 'halted' }> {
  return { kind: 'halted', keyVersion, message: rejectedKey({ connection, keyVersion }) };
}

interface RejectedKey {
  readonly connection?: string | undefined;
  readonly keyVersion?: string | undefined;
  /** Of the answer that rejected it. */
  readonly status?: number | undefined;
}

/** What a rejected key means, as far as it is known which one. Who tells it adds what goes on by itself then. */
export function rejectedKey({ connection, keyVersion, status }: RejectedKey): string {
  const of = connection === undefined ? '' : ` of connection ${connection}`;
  const version = keyVersion === undefined ? '' : `, secret version ${keyVersion}`;
  const told = status === undefined ? '' : ` (status ${status})`;
  return `The API did not accept the key${of}${version}${told}. This version is not sent again. Store a valid key as a new version of the secret.`;
}

export function organizationChanged(connection: string, keyVersion: string): BoundNotSent {
  const whose = 'under which this was accepted, so nothing was sent';
  const message = unshownKey(connection, keyVersion, whose);
  return { kind: 'organization-changed', message };
}

/** @param whose Which organization it would have to be of, and what follows. */
export function unshownKey(connection: string, keyVersion: string, whose: string): string {
  return `The key of connection ${connection}, secret version ${keyVersion}, is not shown to be of the organization ${whose}. If it is the same organization, give its secrets the same "organization" label.`;
}

export function unproven(connection: string, message: string): NotSent {
  return {
    kind: 'organization-unproven',
    message: `The key of connection ${connection} is new, and the request that shows its organization had no usable answer: ${message}`,
  };
}
