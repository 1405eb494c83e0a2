import * as v from 'valibot';

/** How Lambda reports a failed invocation to its caller. */
const functionErrorSchema = v.object({
  errorType: v.string(),
  errorMessage: v.string(),
});
export type FunctionError = v.InferOutput<typeof functionErrorSchema>;

/** From the host to a function's process. */
export interface InvokeMessage {
  readonly requestId: string;
  /** JSON text of the event. */
  readonly payload: string;
  /** Unix time in milliseconds. */
  readonly deadlineMs: number;
}

/** From a function's process to the host. */
export const runtimeMessageSchema = v.variant('kind', [
  v.object({ kind: v.literal('ready') }),
  v.object({ kind: v.literal('crashing'), error: functionErrorSchema }),
  v.object({ kind: v.literal('returned'), requestId: v.string(), payload: v.string() }),
  v.object({ kind: v.literal('failed'), requestId: v.string(), error: functionErrorSchema }),
]);
export type RuntimeMessage = v.InferOutput<typeof runtimeMessageSchema>;
