import type { MiddlewareObj } from '@middy/core';
import type { Context } from 'aws-lambda';
import type { Redact } from '../../lib/key/redaction.ts';
import { errorFields, type Log, shortMessage } from '../log/log.ts';
import { liveKeys, processLog } from '../log/process-log.ts';

/** What the middlewares add to Lambda's context. */
export interface LogContext extends Context {
  /** Its lines carry the invocation's request id. */
  log: Log;
}

/** A log of one invocation. @param log @default - that of the process, whose lines show none of its keys */
export function logOf({ awsRequestId }: Context, log: Log = processLog): Log {
  return log.with({ requestId: awsRequestId });
}

/**
 * Gives the invocation a log, and lets no error out as it is: the Lambda runtime would print its stack,
 * its cause and all of its members.
 */
export function invocationLog(
  log?: Log,
  redact: Redact = liveKeys.redact,
): MiddlewareObj<unknown, unknown, Error, LogContext> {
  return {
    before: function invocationLogBefore({ context }) {
      context.log = logOf(context, log);
    },
    onError: function invocationLogOnError(request) {
      const fields = errorFields(request.error);
      // A before middleware that was first in line may have failed before this one ran.
      (request.context.log ?? logOf(request.context, log)).error('Invocation failed', fields);
      request.error = withoutDetails(fields['errorName'], fields['errorMessage'], redact);
    },
  };
}

function withoutDetails(name: unknown, message: unknown, redact: Redact): Error {
  const error = new Error(shortMessage(String(message ?? 'no message'), redact));
  error.name = shortMessage(String(name), redact);
  error.stack = `${error.name}: ${error.message}`;
  return error;
}
