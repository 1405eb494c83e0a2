import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Duration, Lazy, Token } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  CfnFunction,
  Code,
  Function as Lambda,
  LoggingFormat,
  type RecursiveLoop,
  Runtime,
  RuntimeFamily,
} from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { acknowledge, WildcardStatement } from './acknowledge.ts';
import { allowKeys } from './encryption.ts';
import { checkedEnvironment } from './function-environment.ts';
import { logGroup } from './log-group.ts';
import { memoryEnvironment } from './memory-environment.ts';
import { allowNetwork, networkProps } from './network-access.ts';
import { allowSend } from './queue-statements.ts';

/** As the CDK's own, which those of more than a year ago do not have. */
const NODE_24 = new Runtime('nodejs24.x', RuntimeFamily.NODEJS, { supportsInlineCode: true });

export interface LambdaFunctionProps {
  /** Name of the file in `functions/` without its extension; it exports `handler`. */
  readonly file: string;
  readonly description: string;
  readonly timeout: Duration;
  /** In MiB; the share of a vCPU grows with it (1,769 MiB: one vCPU). @default 512: the bundle loads faster by it */
  readonly memorySize?: number;
  /** Whether it works on long lists, so that its memory has to be kept flat. @default false */
  readonly hasLongLists?: boolean;
  readonly environment: Readonly<Record<string, string>>;
  /** Permissions, besides writing the log. */
  readonly statements: readonly PolicyStatement[];
  /** @default - Lambda ends loops of about 16 invocations */
  readonly recursiveLoop?: RecursiveLoop;
  /** Gets the events of asynchronous invocations that failed three times. @default - none */
  readonly deadLetterQueue?: IQueue;
}

/** A function of this project: bundled from `functions/`, with its own log group and role. */
export class LambdaFunction extends Lambda {
  readonly memorySizeMiB: number;

  constructor(scope: Construct, id: string, props: LambdaFunctionProps) {
    const { file, statements, environment, memorySize = 512, hasLongLists, ...rest } = props;
    const log = logGroup(scope, `${id}Log`);
    const role = new Role(scope, `${id}Role`, {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    super(scope, id, {
      ...rest,
      memorySize,
      environment: checkedEnvironment(file, {
        ...environment,
        ...(hasLongLists === true ? memoryEnvironment(memorySize) : {}),
      }),
      code: bundledCode(file),
      handler: 'index.handler',
      runtime: NODE_24,
      architecture: Architecture.ARM_64, // a fifth cheaper than x86 per millisecond
      loggingFormat: LoggingFormat.JSON,
      logGroup: log,
      role,
      ...networkProps(scope),
    });
    this.memorySizeMiB = memorySize;
    if (hasLongLists === true) this.#fitHeapToMemory();
    const own = [
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [log.logGroupArn],
      }),
      ...statements,
    ];
    // Lambda sends failed events to the dead-letter queue with this role.
    const letters = props.deadLetterQueue === undefined ? [] : [allowSend(props.deadLetterQueue)];
    for (const statement of [
      ...own,
      ...allowKeys(scope, [...own, ...letters]),
      ...allowNetwork(scope),
    ]) {
      role.addToPolicy(statement);
      if (statement instanceof WildcardStatement) statement.acknowledgeIn(role);
    }
    acknowledge(
      this,
      'Serverless-LambdaTracing',
      'Each step writes one structured log line; traces would add a right to "*" and a client that sees every request with its headers.',
    );
  }

  /** An aspect of the app may set another memory than ours, and the heap keeps its share of that. */
  #fitHeapToMemory(): void {
    const resource = this.node.defaultChild;
    if (!(resource instanceof CfnFunction)) throw new Error('The function has no resource.');
    const produce = () => {
      const { memorySize = this.memorySizeMiB } = resource;
      const knownMiB = Token.isUnresolved(memorySize) ? this.memorySizeMiB : memorySize;
      return memoryEnvironment(knownMiB).NODE_OPTIONS;
    };
    this.addEnvironment('NODE_OPTIONS', Lazy.string({ produce }));
  }
}

/** Where `npm run build` puts them, seen from this file in the repository, and from the one that it is part of in the package. */
const FOLDERS = ['../../../dist/bundles', '../bundles'];

/**
 * One function with all its imports, in one file. It was bundled when the package was built, so who uses the
 * construct needs no bundler, and the hash of the code is the same on every machine.
 *
 * @param file Name of the file in `functions/` without its extension; it exports `handler`.
 */
function bundledCode(file: string): Code {
  const folders = FOLDERS.map((folder) => join(import.meta.dirname, folder, file));
  const folder = folders.find((each) => existsSync(each));
  if (folder !== undefined) return Code.fromAsset(folder);
  throw new Error(`The code of ${file} is not in ${folders.join(' or ')}: run "npm run build".`);
}
