import type { ServerResponse } from 'node:http';
import { answerError, answerXmlError, serviceError } from './aws-call.ts';
import type { SignatureProblem, SignatureRefusal } from './callers.ts';

interface Codes {
  /** Of the services that speak JSON (IAM user guide, "Troubleshoot signed requests"). */
  readonly json: string;
  /** Of Amazon S3 (API reference, "Error responses"), with its status. */
  readonly s3: readonly [code: string, status: number];
}

const CODES: Readonly<Record<SignatureProblem, Codes>> = {
  unsigned: { json: 'MissingAuthenticationToken', s3: ['AccessDenied', 403] },
  incomplete: { json: 'IncompleteSignature', s3: ['AuthorizationHeaderMalformed', 400] },
  'incomplete-query': {
    json: 'IncompleteSignature',
    s3: ['AuthorizationQueryParametersError', 400],
  },
  'two-signatures': { json: 'IncompleteSignature', s3: ['InvalidArgument', 400] },
  'unsigned-header': { json: 'IncompleteSignature', s3: ['AccessDenied', 403] },
  'unknown-caller': { json: 'UnrecognizedClientException', s3: ['InvalidAccessKeyId', 403] },
  expired: { json: 'InvalidSignatureException', s3: ['RequestTimeTooSkewed', 403] },
  // A presigned URL whose time is over, or has not begun.
  'url-not-valid-now': { json: 'InvalidSignatureException', s3: ['AccessDenied', 403] },
  mismatch: { json: 'InvalidSignatureException', s3: ['SignatureDoesNotMatch', 403] },
  'other-body': { json: 'InvalidSignatureException', s3: ['XAmzContentSHA256Mismatch', 400] },
  'body-not-verifiable': { json: 'InvalidSignatureException', s3: ['NotImplemented', 501] },
};

/** Refuses with the code that the service that was called would give. */
export function answerRefusal(response: ServerResponse, refusal: SignatureRefusal): void {
  const { problem, service, message } = refusal;
  const { json, s3 } = CODES[problem];
  if (service === 's3') {
    const [code, status] = s3;
    answerXmlError(response, { status, code, message });
  } else answerError(response, serviceError(json, message, 403));
}
