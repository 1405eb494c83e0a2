import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Authorization, authorizationOf } from './authorization.ts';
import {
  problemOfHead,
  problemOfSignature,
  refused,
  type SignatureRefusal,
} from './signature-problem.ts';

/** Made for one caller of one run. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of a role; a person has none. */
  readonly sessionToken?: string;
}

/** A request whose head is as its caller would send it. */
export interface Claim {
  readonly kind: 'claimed';
  readonly caller: string;
  /** The service of the credential scope: `sqs`, `s3`, `dynamodb`, `execute-api`. */
  readonly service: string;
  /** Compares the signature. @returns Why the request is refused; `undefined`: it is the caller's. */
  verify(body: Uint8Array): Promise<SignatureRefusal | undefined>;
}

const SECRET_BYTES = 30;

/** As Amazon S3 words it. */
const ONE_SIGNATURE =
  'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified';

/** Everybody who may call the services of one run, known by AWS Signature Version 4. */
export class Callers {
  readonly #region: string;
  readonly #known = new Map<string, { readonly caller: string; readonly own: Credentials }>();

  constructor(region: string) {
    this.#region = region;
  }

  admitPerson(caller: string): Credentials {
    return this.#admit(caller, {});
  }

  /** Makes credentials for a role, as Lambda hands them to a function. */
  admitRole(caller: string): Required<Credentials> {
    return this.#admit(caller, { sessionToken: randomText() });
  }

  /** Reads a request's head. Its body is read only after that, so that nobody else makes us read much. */
  identify(request: IncomingMessage, nowMs: number): Claim | SignatureRefusal {
    const given = authorizationOf(request);
    switch (given.kind) {
      case 'unsigned':
        return refused('unsigned', undefined, 'The request is not signed.');
      case 'two':
        return refused('two-signatures', 's3', ONE_SIGNATURE);
      case 'malformed': {
        const problem = given.service === undefined ? 'incomplete' : 'incomplete-query';
        return refused(problem, given.service, given.message);
      }
      case 'signed':
        return this.#claim(given, request, nowMs);
    }
  }

  #claim(given: Authorization, request: IncomingMessage, nowMs: number): Claim | SignatureRefusal {
    const { service } = given;
    const known = this.#known.get(given.accessKeyId);
    if (known === undefined || (known.own.sessionToken ?? '') !== given.sessionToken) {
      const message = 'The security token included in the request is invalid.';
      return refused('unknown-caller', service, message);
    }
    const problem = problemOfHead(given, request, this.#region, nowMs);
    if (problem !== undefined) return problem;
    const { caller, own } = known;
    const verify = (body: Uint8Array) =>
      problemOfSignature(given, request, body, own.secretAccessKey);
    return { kind: 'claimed', caller, service, verify };
  }

  #admit<More extends object>(caller: string, more: More) {
    const accessKeyId = `LOCAL${randomBytes(8).toString('hex').toUpperCase()}`;
    const own = { accessKeyId, secretAccessKey: randomText(), ...more };
    this.#known.set(accessKeyId, { caller, own });
    return own;
  }
}

function randomText(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}
