import type { Credentials } from '../endpoint/callers.ts';

export interface FunctionDefinition {
  readonly logicalId: string;
  readonly name: string;
  readonly arn: string;
  /** The directory with its files, as `/var/task` on AWS. */
  readonly taskRoot: string;
  /** `file.export`. */
  readonly handler: string;
  /** The template's `Environment`. */
  readonly variables: Readonly<Record<string, string>>;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  readonly logGroup: string;
  /** Receives the event of an asynchronous invocation that failed for good. */
  readonly deadLetterArn: string | undefined;
  /** Of its role, as Lambda hands them to it. */
  readonly credentials: Required<Credentials>;
}
