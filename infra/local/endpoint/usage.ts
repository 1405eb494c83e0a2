interface FunctionUsage {
  invocations: number;
  failures: number;
  coldStarts: number;
  gbSeconds: number;
  peakMemoryBytes: number;
}

/** What a run used, in the units that AWS bills. */
export interface Usage {
  /** By function name. */
  readonly lambda: Readonly<Record<string, Readonly<FunctionUsage>>>;
  /** By caller (function name, or the service that acts for the stack), then by `service:Action`. */
  readonly calls: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly sqs: {
    /** One per started 64 KiB of payload. */
    readonly billedRequests: number;
  };
  readonly dynamodb: { readonly readUnits: number; readonly writeUnits: number };
  readonly s3: {
    /** PUT, COPY, POST and LIST. */
    readonly putLike: number;
    /** GET, HEAD and the rest; DELETE is free and in neither. */
    readonly getLike: number;
  };
  readonly secretsManager: { readonly requests: number };
  /** Events that functions and the operator put; events of AWS services are free and not in it. */
  readonly eventBridge: { readonly events: number };
  readonly scheduler: { readonly invocations: number };
  readonly apiGateway: {
    /** One per started 512 KiB of a request to an HTTP API. */
    readonly billedRequests: number;
  };
}

interface Invocation {
  readonly durationMs: number;
  readonly memoryMb: number;
  readonly peakMemoryBytes: number;
  readonly cold: boolean;
  readonly failed: boolean;
}

const UNUSED: FunctionUsage = {
  invocations: 0,
  failures: 0,
  coldStarts: 0,
  gbSeconds: 0,
  peakMemoryBytes: 0,
};

export type MeterOf = (caller: string) => UsageMeter;

export type UsageMeter = ReturnType<typeof createUsageMeter>;

// A request of SQS is billed per started 64 KiB (Amazon SQS pricing).
const SQS_BILLED_BYTES = 64 * 1024;
// A request to an HTTP API is billed per started 512 KB (Amazon API Gateway pricing).
const HTTP_BILLED_BYTES = 512 * 1024;
const MB_PER_GB = 1024;

export function createUsageMeter() {
  const lambda: Record<string, FunctionUsage> = {};
  const calls: Record<string, Record<string, number>> = {};
  const used = {
    ...{ lambda, calls },
    sqs: { billedRequests: 0 },
    dynamodb: { readUnits: 0, writeUnits: 0 },
    s3: { putLike: 0, getLike: 0 },
    secretsManager: { requests: 0 },
    eventBridge: { events: 0 },
    scheduler: { invocations: 0 },
    apiGateway: { billedRequests: 0 },
  };
  return {
    call(caller: string, service: string, action: string): void {
      const key = `${service}:${action}`;
      const ofCaller = calls[caller] ?? {};
      calls[caller] = { ...ofCaller, [key]: (ofCaller[key] ?? 0) + 1 };
      if (service === 'secretsmanager') used.secretsManager.requests += 1;
    },
    sqsPayload(bytes: number): void {
      used.sqs.billedRequests += Math.max(1, Math.ceil(bytes / SQS_BILLED_BYTES));
    },
    dynamodbUnits(kind: 'read' | 'write', units: number): void {
      used.dynamodb[kind === 'read' ? 'readUnits' : 'writeUnits'] += units;
    },
    s3Request(kind: 'put' | 'get' | 'free'): void {
      if (kind === 'put') used.s3.putLike += 1;
      if (kind === 'get') used.s3.getLike += 1;
    },
    events(count: number): void {
      used.eventBridge.events += count;
    },
    schedulerInvocation(): void {
      used.scheduler.invocations += 1;
    },
    /** @param bytes Of the body. */
    httpRequest(bytes: number): void {
      used.apiGateway.billedRequests += Math.max(1, Math.ceil(bytes / HTTP_BILLED_BYTES));
    },
    invocation(functionName: string, invocation: Invocation): void {
      lambda[functionName] ??= { ...UNUSED };
      count(lambda[functionName], invocation);
    },
    usage: (): Usage => structuredClone(used),
  };
}

function count(usage: FunctionUsage, invocation: Invocation): void {
  const billedMs = Math.ceil(invocation.durationMs);
  usage.invocations += 1;
  usage.failures += invocation.failed ? 1 : 0;
  usage.coldStarts += invocation.cold ? 1 : 0;
  usage.gbSeconds += (billedMs / 1000) * (invocation.memoryMb / MB_PER_GB);
  usage.peakMemoryBytes = Math.max(usage.peakMemoryBytes, invocation.peakMemoryBytes);
}
