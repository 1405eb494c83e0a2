import type { BilledUnits } from '../../cost/billed-units.ts';

interface FunctionUsage {
  readonly invocations: number;
  readonly failures: number;
  readonly coldStarts: number;
  readonly gbSeconds: number;
  readonly peakMemoryBytes: number;
}

/** What a run used. */
export interface Usage {
  /** By function name. */
  readonly lambda: Readonly<Record<string, FunctionUsage>>;
  /** By caller (function name, or the service that acts for the stack), then by `service:Action`. */
  readonly calls: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** What AWS bills of it. Events that AWS services put are free. */
  readonly billed: BilledUnits;
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

const NOTHING: BilledUnits = {
  lambdaGbSeconds: 0,
  lambdaRequests: 0,
  sqsRequests: 0,
  dynamodbWriteUnits: 0,
  dynamodbReadUnits: 0,
  s3PutLike: 0,
  s3GetLike: 0,
  secretsManagerCalls: 0,
  eventBridgeEvents: 0,
  schedulerInvocations: 0,
  httpApiRequests: 0,
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
  const billed: { -readonly [Unit in keyof BilledUnits]: number } = { ...NOTHING };
  const bill = (unit: keyof BilledUnits, count = 1) => {
    billed[unit] += count;
  };
  const started = (bytes: number, unitBytes: number) => Math.max(1, Math.ceil(bytes / unitBytes));
  return {
    bill,
    call(caller: string, service: string, action: string): void {
      const key = `${service}:${action}`;
      const ofCaller = calls[caller] ?? {};
      calls[caller] = { ...ofCaller, [key]: (ofCaller[key] ?? 0) + 1 };
      if (service === 'secretsmanager') bill('secretsManagerCalls');
    },
    sqsPayload: (bytes: number) => bill('sqsRequests', started(bytes, SQS_BILLED_BYTES)),
    /** @param bytes Of the body. */
    httpRequest: (bytes: number) => bill('httpApiRequests', started(bytes, HTTP_BILLED_BYTES)),
    invocation(functionName: string, invocation: Invocation): void {
      const { durationMs, memoryMb, peakMemoryBytes, cold, failed } = invocation;
      const gbSeconds = (Math.ceil(durationMs) / 1000) * (memoryMb / MB_PER_GB);
      const before = lambda[functionName] ?? UNUSED;
      lambda[functionName] = {
        invocations: before.invocations + 1,
        failures: before.failures + (failed ? 1 : 0),
        coldStarts: before.coldStarts + (cold ? 1 : 0),
        gbSeconds: before.gbSeconds + gbSeconds,
        peakMemoryBytes: Math.max(before.peakMemoryBytes, peakMemoryBytes),
      };
      bill('lambdaRequests');
      bill('lambdaGbSeconds', gbSeconds);
    },
    usage: (): Usage => structuredClone({ lambda, calls, billed }),
  };
}
