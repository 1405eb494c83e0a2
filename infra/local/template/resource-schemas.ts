import * as v from 'valibot';

/** CloudFormation takes numbers and booleans also as strings. */
const integer = v.pipe(
  v.union([v.number(), v.pipe(v.string(), v.regex(/^-?\d+$/), v.transform(Number))]),
  v.integer(),
);
const boolean = v.pipe(
  v.union([v.boolean(), v.picklist(['true', 'false'])]),
  v.transform((value) => String(value) === 'true'),
);
const optionalInteger = v.optional(integer);
/** A property that changes nothing here; every other one that a schema does not name is refused. */
const inert = v.optional(v.unknown());
const tags = { Tags: inert };

export const queueSchema = v.strictObject({
  ...tags,
  QueueName: v.optional(v.string()),
  DelaySeconds: optionalInteger,
  MaximumMessageSize: optionalInteger,
  MessageRetentionPeriod: optionalInteger,
  ReceiveMessageWaitTimeSeconds: optionalInteger,
  VisibilityTimeout: optionalInteger,
  FifoQueue: v.optional(boolean),
  ContentBasedDeduplication: v.optional(boolean),
  RedrivePolicy: v.optional(
    v.strictObject({ deadLetterTargetArn: v.string(), maxReceiveCount: integer }),
  ),
  // Encryption at rest, and who may name this queue as dead-letter queue: not enforced here.
  SqsManagedSseEnabled: inert,
  KmsMasterKeyId: inert,
  KmsDataKeyReusePeriodSeconds: inert,
  RedriveAllowPolicy: inert,
});

export const bucketSchema = v.strictObject({
  ...tags,
  BucketName: v.optional(v.string()),
  // Who may read, encryption at rest and ageing: objects here end with the run.
  AccessControl: inert,
  BucketEncryption: inert,
  IntelligentTieringConfigurations: inert,
  LifecycleConfiguration: inert,
  LoggingConfiguration: inert,
  MetricsConfigurations: inert,
  OwnershipControls: inert,
  PublicAccessBlockConfiguration: inert,
  // Old versions are not kept; a read without a version id sees the same.
  VersioningConfiguration: inert,
});

const tableKeys = {
  AttributeDefinitions: v.array(
    v.object({ AttributeName: v.string(), AttributeType: v.picklist(['S', 'N', 'B']) }),
  ),
  KeySchema: v.array(
    v.object({ AttributeName: v.string(), KeyType: v.picklist(['HASH', 'RANGE']) }),
  ),
};
const indexSchema = v.object({
  IndexName: v.string(),
  KeySchema: tableKeys.KeySchema,
  Projection: v.object({
    ProjectionType: v.picklist(['ALL', 'KEYS_ONLY', 'INCLUDE']),
    NonKeyAttributes: v.optional(v.array(v.string())),
  }),
});

export const tableSchema = v.strictObject({
  ...tags,
  ...tableKeys,
  TableName: v.optional(v.string()),
  GlobalSecondaryIndexes: v.optional(v.array(indexSchema), []),
  LocalSecondaryIndexes: v.optional(v.array(indexSchema), []),
  // Price, protection, recovery and watching of the table; items here end with the run.
  BillingMode: inert,
  ContributorInsightsSpecification: inert,
  DeletionProtectionEnabled: inert,
  OnDemandThroughput: inert,
  PointInTimeRecoverySpecification: inert,
  ProvisionedThroughput: inert,
  SSESpecification: inert,
  TableClass: inert,
  WarmThroughput: inert,
  WriteOnDemandThroughputSettings: inert,
  WriteProvisionedThroughputSettings: inert,
  // AWS deletes an expired item within days, so no reader may rely on it being gone.
  TimeToLiveSpecification: inert,
  Replicas: v.optional(
    v.pipe(
      v.array(v.unknown()),
      v.maxLength(1, 'one replica is run here, in the region of the stack'),
    ),
  ),
});

export const functionSchema = v.strictObject({
  ...tags,
  FunctionName: v.optional(v.string()),
  Code: v.union([
    v.strictObject({ S3Bucket: inert, S3Key: v.string() }),
    v.strictObject({ ZipFile: v.string() }),
  ]),
  Handler: v.string(),
  Role: v.string(),
  Runtime: v.pipe(v.string(), v.startsWith('nodejs', 'only Node.js functions are run here')),
  Environment: v.optional(
    v.strictObject({ Variables: v.optional(v.record(v.string(), v.string()), {}) }),
  ),
  // Defaults: Lambda quotas and the CloudFormation reference of AWS::Lambda::Function.
  MemorySize: v.optional(v.pipe(integer, v.minValue(128), v.maxValue(10_240)), 128),
  Timeout: v.optional(v.pipe(integer, v.minValue(1), v.maxValue(900)), 3),
  ReservedConcurrentExecutions: v.optional(v.pipe(integer, v.minValue(0))),
  LoggingConfig: v.optional(
    v.strictObject({
      LogFormat: v.optional(v.string()),
      LogGroup: v.optional(v.string()),
      ApplicationLogLevel: v.optional(v.string()),
      SystemLogLevel: inert,
    }),
  ),
  DeadLetterConfig: v.optional(v.strictObject({ TargetArn: v.string() })),
  // Processor, network, tracing backend and patch policy: not of this machine.
  Architectures: inert,
  Description: inert,
  EphemeralStorage: inert,
  KmsKeyArn: inert,
  RuntimeManagementConfig: inert,
  TracingConfig: inert,
  VpcConfig: inert,
  // Lambda's loop detection does not run here, so there is nothing to allow.
  RecursiveLoop: inert,
});

export const eventSourceMappingSchema = v.strictObject({
  ...tags,
  EventSourceArn: v.string(),
  FunctionName: v.string(),
  Enabled: v.optional(boolean, true),
  // Lambda developer guide, "Configuring scaling behavior for SQS event source mappings".
  BatchSize: v.optional(v.pipe(integer, v.minValue(1), v.maxValue(10_000)), 10),
  MaximumBatchingWindowInSeconds: v.optional(v.pipe(integer, v.minValue(0), v.maxValue(300)), 0),
  ScalingConfig: v.optional(
    v.strictObject({
      MaximumConcurrency: v.optional(v.pipe(integer, v.minValue(2), v.maxValue(1_000))),
    }),
  ),
  FunctionResponseTypes: v.optional(v.array(v.picklist(['ReportBatchItemFailures'])), []),
  FilterCriteria: v.optional(
    v.strictObject({ Filters: v.optional(v.array(v.strictObject({ Pattern: v.string() })), []) }),
  ),
  MetricsConfig: inert,
});

export const eventBusSchema = v.strictObject({
  ...tags,
  Name: v.string(),
  Description: inert,
  KmsKeyIdentifier: inert,
  LogConfig: inert,
});

const deadLetter = {
  DeadLetterConfig: v.optional(v.strictObject({ Arn: v.optional(v.string()) })),
};
// A delivery inside one process succeeds or can never succeed: there is nothing to repeat.
const retry = { RetryPolicy: inert };

export const ruleSchema = v.strictObject({
  ...tags,
  Name: v.optional(v.string()),
  Description: inert,
  RoleArn: inert,
  EventBusName: v.optional(v.string()),
  EventPattern: v.optional(v.record(v.string(), v.unknown())),
  ScheduleExpression: v.optional(v.string()),
  State: v.optional(v.string(), 'ENABLED'),
  Targets: v.optional(
    v.array(
      v.strictObject({
        ...deadLetter,
        ...retry,
        Arn: v.string(),
        Id: v.string(),
        RoleArn: v.optional(v.string()),
        Input: v.optional(v.string()),
        InputPath: v.optional(v.string()),
        InputTransformer: v.optional(
          v.strictObject({
            InputPathsMap: v.optional(v.record(v.string(), v.string()), {}),
            InputTemplate: v.string(),
          }),
        ),
        SqsParameters: v.optional(v.strictObject({ MessageGroupId: v.string() })),
      }),
    ),
    [],
  ),
});

export const scheduleGroupSchema = v.strictObject({ ...tags, Name: v.optional(v.string()) });

export const scheduleSchema = v.strictObject({
  Name: v.optional(v.string()),
  GroupName: v.optional(v.string()),
  Description: inert,
  KmsKeyArn: inert,
  // Here a window is a point: the schedule fires when the window opens.
  FlexibleTimeWindow: inert,
  ScheduleExpression: v.string(),
  ScheduleExpressionTimezone: v.optional(v.string(), 'UTC'),
  StartDate: v.optional(v.string()),
  EndDate: v.optional(v.string()),
  State: v.optional(v.picklist(['ENABLED', 'DISABLED']), 'ENABLED'),
  Target: v.strictObject({
    ...deadLetter,
    ...retry,
    Arn: v.string(),
    RoleArn: v.string(),
    Input: v.optional(v.string()),
    SqsParameters: v.optional(v.strictObject({ MessageGroupId: v.optional(v.string()) })),
    EventBridgeParameters: v.optional(
      v.strictObject({ DetailType: v.string(), Source: v.string() }),
    ),
  }),
});

export const secretSchema = v.strictObject({
  ...tags,
  Name: v.optional(v.string()),
  Description: inert,
  KmsKeyId: inert,
  SecretString: v.optional(v.string()),
  GenerateSecretString: v.optional(
    v.object({
      PasswordLength: v.optional(integer, 32),
      SecretStringTemplate: v.optional(v.string()),
      GenerateStringKey: v.optional(v.string()),
    }),
  ),
});
