/** A function as the template declares it. */
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
  readonly logFormat: string;
  readonly logGroup: string;
  /** Receives the event of an asynchronous invocation that failed for good. */
  readonly deadLetterArn: string | undefined;
  /** Made up for this function alone, so that the endpoint knows the caller. */
  readonly accessKeyId: string;
}
