import { expect, test } from '@jest/globals';
import { App } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { CustomersStack } from '../../../../infra/customers-stack.ts';
import { propertiesOf, synthesizedStack } from '../../synthesized-stack.ts';
import { widgetsOf } from './dashboard-body.ts';

const settings = {
  baseUrl: 'https://api.example.com',
  connections: { demo: { schedule: 'rate(1 day)' } },
};
const context = { 'customers-functions': settings, 'aws:cdk:disable-asset-staging': true };
const stack = new CustomersStack(new App({ context }), 'Stack');
const template = Template.fromStack(stack);
const [body] = Object.values(template.findResources('AWS::CloudWatch::Dashboard')).map(
  ({ Properties }) => Properties.DashboardBody,
);
const widgets = widgetsOf(body);

test.each([
  ['Exports by state, per hour', ['Completed', 'Failed', 'Halted']],
  ['Customers and pages per hour', ['Customers', 'Pages']],
  ['Requests, throttles and time waited', ['Requests', 'Throttles', 'Waits asked for (s)']],
  ['Newest completed export: the oldest of all lists', ['Age (s)', 'Lists overdue']],
  [
    'Newest completed export by connection and list, hours',
    ['connection', 'list', 'ageHours', 'newestExport'],
  ],
  ['Exports that wait for the turn of their list', ['Queued exports', 'Longest in the line (s)']],
  [
    'Halted and stalled, changes of organizations',
    ['Halted connections', 'Stalled exports', 'Changes of organizations'],
  ],
  ['Queues', ['Dead letters', 'Undelivered', 'Oldest wake-up (s)']],
  ['Errors by function', ['worker', 'start', 'sweep', 'measure', 'HTTP API']],
  ['Duration by function, p95 (ms)', ['worker', 'start', 'sweep', 'measure', 'HTTP API']],
  ['Estimated cost, USD per hour', ['USD, prices of us-east-1 (2026-11-21)']],
])('the dashboard shows "%s"', (title, labels) => {
  const widget = widgets.find((each) => each.title === title);

  expect(widget?.labels).toEqual(expect.arrayContaining(labels));
});

test('no two widgets overlap, and all are within the 24 columns', () => {
  const cells = widgets.flatMap(({ x, y, width, height }) =>
    Array.from(
      { length: width * height },
      (_, i) => `${x + (i % width)},${y + Math.floor(i / width)}`,
    ),
  );

  expect(new Set(cells).size).toBe(cells.length);
  expect(Math.max(...widgets.map(({ x, width }) => x + width))).toBe(24);
});

test('metric math is what CloudWatch can read', () => {
  expect(Annotations.fromStack(stack).findWarning('*', Match.anyValue())).toEqual([]);
});

test('the estimated cost counts all queues that Lambda polls', () => {
  const all = synthesizedStack({
    ...settings,
    schedule: 'rate(1 day)',
    operations: [
      { name: 'create', method: 'POST', resource: 'customers', acceptsIdempotencyKey: true },
    ],
  });
  const polled = propertiesOf(all, 'AWS::Lambda::EventSourceMapping').map(
    ({ EventSourceArn }) => Object(EventSourceArn)['Fn::GetAtt'][0],
  );
  const [dashboard] = propertiesOf(all, 'AWS::CloudWatch::Dashboard');
  const text = JSON.stringify(dashboard);
  const counted = [
    ...text.matchAll(/NumberOfEmptyReceives[^{}]*\{"Fn::GetAtt":\["(\w+)","QueueName"\]/g),
  ].map(([, queue]) => queue);

  expect(polled).toHaveLength(5);
  expect(counted.sort()).toEqual(polled.sort());
});

test('a saved query shows the whole course of one export, from the logs of all who touch it', () => {
  template.hasResourceProperties('AWS::Logs::QueryDefinition', {
    Name: 'Stack/course-of-an-export',
    LogGroupNames: [
      { Ref: Match.stringLikeRegexp('RunExportLog') },
      { Ref: Match.stringLikeRegexp('StartExportLog') },
      { Ref: Match.stringLikeRegexp('HttpApiFunctionLog') },
      { Ref: Match.stringLikeRegexp('SweepFunctionLog') },
    ],
    QueryString: Match.stringLikeRegexp('filter exportId = [\\s\\S]*sort @timestamp asc'),
  });
});
