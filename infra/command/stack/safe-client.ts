import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import * as v from 'valibot';
import { safeUrl } from './safe-url.ts';

/** Of the client of any AWS service, as far as a person chooses them. */
export type ClientSettings = Pick<
  ConstructorParameters<typeof CloudFormationClient>[0] & object,
  'region' | 'profile' | 'credentials'
>;

const RequestSchema = v.object({ protocol: v.string(), hostname: v.string() });

type Send<Args, Answer> = (args: Args) => Promise<Answer>;

/** What all clients of the AWS SDK have, as far as it is used here. */
interface Client {
  readonly middlewareStack: {
    add(
      middleware: <Args extends object, Answer>(next: Send<Args, Answer>) => Send<Args, Answer>,
      options: { readonly step: 'build' },
    ): void;
  };
}

/**
 * A client that sends nothing to an address at which others could read it, such as keys, records and decisions: the
 * environment and a profile may name any.
 */
export function safeClient<Known extends Client>(client: Known): Known {
  client.middlewareStack.add(
    (next) => async (args) => {
      const { protocol, hostname } = v.parse(RequestSchema, Reflect.get(args, 'request'));
      safeUrl(`${protocol}//${hostname}`);
      return next(args);
    },
    { step: 'build' },
  );
  return client;
}
