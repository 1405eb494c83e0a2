import { expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type MetricValues, metricFields } from '../../../functions/log/metrics.ts';
import { recordedLog } from '../middleware/recorded-log.ts';

/**
 * The schema of CloudWatch's "Embedded metric format specification" with its limits, and those of
 * PutMetricData: at most 100 metrics a directive, 30 dimensions, names of 1 to 1,024 characters.
 */
const NAME = { type: 'string', minLength: 1, maxLength: 1024 };
const DIMENSIONS = {
  type: 'array',
  minItems: 1,
  items: { type: 'array', maxItems: 30, items: { type: 'string', minLength: 1, maxLength: 250 } },
};
const METRICS = {
  type: 'array',
  minItems: 1,
  maxItems: 100,
  items: {
    type: 'object',
    required: ['Name'],
    additionalProperties: false,
    properties: { Name: NAME, Unit: { enum: ['Count', 'Seconds'] } },
  },
};
const isEmf = new Ajv2020().compile({
  type: 'object',
  required: ['_aws'],
  properties: {
    _aws: {
      type: 'object',
      required: ['Timestamp', 'CloudWatchMetrics'],
      additionalProperties: false,
      properties: {
        Timestamp: { type: 'integer', minimum: 0 },
        CloudWatchMetrics: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            required: ['Namespace', 'Dimensions', 'Metrics'],
            additionalProperties: false,
            properties: { Namespace: NAME, Dimensions: DIMENSIONS, Metrics: METRICS },
          },
        },
      },
    },
  },
});

const all: Required<MetricValues> = {
  Steps: 1,
  Pages: 2,
  Customers: 200,
  Requests: 3,
  Throttles: 1,
  WaitSeconds: 30,
  WaitsTooLong: 0,
  RequestsFailed: 1,
  ExportsCompleted: 1,
  ExportsFailed: 0,
  ExportsHalted: 0,
  ExportsCancelled: 0,
  StalledExports: 0,
  HaltedExports: 0,
  QueuedExports: 2,
  LongestQueuedSeconds: 900,
  OrganizationChanges: 1,
  FanOutStarts: 2_000,
  FanOutFailures: 0,
  NewestCompleteAgeSeconds: 60,
  ConnectionsOverdue: 0,
  ConnectionsNeverExported: 0,
  RecordsAdded: 2,
  RecordsChanged: 3,
  RecordsRemoved: 1,
  RecordEvents: 6,
  ChangesHeld: 0,
  StalledChanges: 0,
  ChangesWaitingSeconds: 60,
  WritesDone: 1,
  WritesRefused: 0,
  WritesUnclear: 0,
  WriteSeconds: 1.5,
  UnclearWrites: 0,
  StalledWrites: 0,
  HaltedWrites: 0,
};

test('a line with every metric keeps to the embedded metric format', () => {
  const { log, records } = recordedLog();

  log.info('Step', { pages: 3 }, all);

  const [record] = records();
  expect(isEmf(record)).toBe(true);
  const [directive] = Object(record)._aws.CloudWatchMetrics;
  const named = directive.Metrics.map(({ Name }: { Name: string }) => Name);
  expect(named.sort()).toEqual(Object.keys(all).sort());
  for (const name of named) expect(Object(record)[name]).toEqual(expect.any(Number));
  for (const name of directive.Dimensions.flat()) expect(Object(record)[name]).toBe('worker');
});

test('a line without a metric is no metric line', () => {
  expect(metricFields({}, 'worker', 0)).toEqual({});
});

test('only given metrics are told, zeros too', () => {
  const fields = metricFields({ StalledExports: 0 }, 'sweep', 5);

  expect(fields).toEqual({
    _aws: {
      Timestamp: 5,
      CloudWatchMetrics: [
        {
          Namespace: 'CustomersFunctions',
          Dimensions: [['FunctionName']],
          Metrics: [{ Name: 'StalledExports', Unit: 'Count' }],
        },
      ],
    },
    FunctionName: 'sweep',
    StalledExports: 0,
  });
});
