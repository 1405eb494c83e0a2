import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { METRIC_NAMESPACE } from '../../../../functions/log/metrics.ts';
import { propertiesOf, synthesizedStack } from '../../synthesized-stack.ts';

const runbook = readFileSync(join(import.meta.dirname, '../../../../docs/runbook.md'), 'utf8');
const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:on-call';
const settings = {
  baseUrl: 'https://api.example.com',
  operations: [
    { name: 'create', method: 'POST', resource: 'customers', acceptsIdempotencyKey: true },
  ],
  connections: { demo: { schedule: 'cron(0 3 * * ? *)' } },
};
let template: Template;
beforeAll(() => {
  // With a schedule for all, whose function fails too.
  const all = { ...settings, schedule: 'rate(1 day)' };
  template = synthesizedStack({ ...all, alarms: { topicArn: TOPIC } });
});

const alarmsOf = (of: Template) => propertiesOf(of, 'AWS::CloudWatch::Alarm');

const sectionOf = (alarm: Record<string, unknown>) =>
  /docs\/runbook\.md#([a-z-]+)$/.exec(String(alarm['AlarmDescription']))?.[1];

const anchorOf = (heading = '') => heading.toLowerCase().replaceAll(' ', '-');

test('every alarm names a section of the runbook, and every section has an alarm', () => {
  const headings = [...runbook.matchAll(/^## (.+)$/gm)].map(([, heading]) => anchorOf(heading));

  expect(alarmsOf(template).map(sectionOf).sort()).toEqual(headings.sort());
});

test('every section of the runbook says what it means, where to look and what to do', () => {
  for (const section of runbook.split(/^## /m).slice(1)) {
    expect(section).toMatch(
      /\*\*Means\.\*\*[\s\S]*\*\*Look\.\*\*[\s\S]*```sh needs-aws\n[\s\S]*\*\*Do\.\*\*/,
    );
  }
});

const textOf = (section = '') =>
  runbook.split(/^## /m).find((each) => anchorOf(each.split('\n', 1)[0]) === section) ?? '';

/** Outputs with the logs of the functions that write an alarm's metric, or whose errors it counts. */
function logsOf({ MetricName, Namespace, Dimensions, Metrics = [] }: Record<string, unknown>) {
  const alone = { Namespace, MetricName, Dimensions };
  const metrics = [alone, ...[Metrics].flat().map((each) => Object(each).MetricStat?.Metric)];
  const functions = metrics
    .filter((each) => each?.Namespace === METRIC_NAMESPACE || each?.MetricName === 'Errors')
    .map((metric) => metric.Dimensions[0].Value.Ref);
  const logs = functions.map(
    (name) => template.toJSON()['Resources'][name].Properties.LoggingConfig.LogGroup.Ref,
  );
  const outputs = Object.entries(template.toJSON()['Outputs']);
  return logs.map((log) => outputs.find(([, output]) => Object(output).Value.Ref === log)?.[0]);
}

test('every section reads the logs of all functions that write the metric of its alarm', () => {
  // The sweep counts unclear writes and logs none of them; the HTTP API lists them.
  const logged = alarmsOf(template).filter((alarm) => sectionOf(alarm) !== 'unclear-writes');
  const read = logged.map((alarm) => {
    const isRead = (log: unknown) => new RegExp(`\\b${log}\\b`).test(textOf(sectionOf(alarm)));
    return [sectionOf(alarm), logsOf(alarm).filter((log) => !isRead(log))];
  });

  expect(alarmsOf(template).flatMap(logsOf).length).toBeGreaterThan(15);
  expect(read.filter(([, unread]) => unread?.length !== 0)).toEqual([]);
});

test('the alarm of waits that are too long hears the sweep too, which tells what a write could not', () => {
  const alarm = alarmsOf(template).find((each) => sectionOf(each) === 'wait-too-long') ?? {};

  expect(logsOf(alarm)).toContain('SweepLogGroupName');
});

const sweep = readFileSync(
  join(import.meta.dirname, '../../../../functions/wake-stalled.ts'),
  'utf8',
);
/** What the sweep logs of one that it could not check, and of any other. */
const SWEPT = /log\.error\('([^']+)', \{ \.\.\.each \}\);\s+else log\.info\('([^']+)'/g;

const FOUND = ['wake', 'error'];

test.each([
  ['export-stalled', ['wake', 'woken', 'leave', 'breaks-off', 'wake-broken', 'error']],
  ['writes-stalled', FOUND],
  ['changes-stalled', FOUND],
])(
  'the section %s finds what the sweep counts as stalled, and of that kind alone',
  (section, results) => {
    const [, pattern = ''] = /^lines \w+ '(.*?)'/m.exec(textOf(section)) ?? [];
    const kinds = [...sweep.matchAll(SWEPT)].map(([, failed, swept]) => [failed, swept]);
    const named = [...pattern.matchAll(/\$\.message = "([^"]+)"/g)].map(([, message]) => message);

    expect(kinds).toHaveLength(3);
    expect(kinds.map((kind) => kind.toSorted())).toContainEqual(named.toSorted());
    const found = results.map((result) => `$.result = "${result}"`).join(' || ');
    expect(pattern).toContain(`&& (${found}) }`);
  },
);

test('the runbook says where letters are moved, since SQS does not know where those came from that a function sent', () => {
  const moves = runbook.split('\n').filter((line) => line.includes('start-message-move-task'));

  expect(moves.length).toBeGreaterThan(2);
  expect(moves.filter((line) => !line.includes('--destination-arn'))).toEqual([]);
});

test('every alarm names the section at the address of your own runbook', () => {
  const runbookUrl = 'https://wiki.example.com/customers-runbook';
  const stack = synthesizedStack({ ...settings, alarms: { runbookUrl } });
  const ends = alarmsOf(stack).map(({ AlarmDescription }) =>
    String(AlarmDescription).split('What to do: ').at(-1),
  );

  expect(ends.toSorted()).toEqual(
    alarmsOf(template)
      .map((alarm) => `${runbookUrl}#${sectionOf(alarm)}`)
      .toSorted(),
  );
});

/** Above what it fires, in how many of how many periods, and what a gap means. Most fire at once, above nothing. */
const AT_ONCE = [0, 1, 1, 'notBreaching'] as const;
const LEVEL = [0, 1, 1, 'ignore'] as const;
const STALLED = [0, 3, 3, 'ignore'] as const;
const FAILING = [0, 2, 3, 'notBreaching'] as const;
const FIRES: Readonly<Record<string, readonly [number, number, number, string]>> = {
  // CloudWatch knows nothing of a queue that nobody has touched for six hours, whatever it holds.
  ...{ 'dead-letters': LEVEL, undelivered: LEVEL, undescribed: LEVEL },
  ...{ 'write-dead-letters': LEVEL, 'change-dead-letters': LEVEL },
  ...{ 'wait-too-long': AT_ONCE, 'export-failed': AT_ONCE, 'organization-changed': AT_ONCE },
  ...{ 'connection-halted': LEVEL, 'writes-halted': LEVEL },
  ...{ 'unclear-writes': LEVEL, 'changes-held': LEVEL },
  ...{ 'export-stalled': STALLED, 'writes-stalled': STALLED, 'changes-stalled': STALLED },
  ...{ 'function-errors': FAILING, 'http-api-errors': FAILING },
  'worker-throttles': [0, 3, 3, 'notBreaching'],
  'oldest-message': [2 * 3600, 1, 1, 'notBreaching'],
  'stale-message': [24 * 3600, 1, 1, 'notBreaching'],
  'no-complete-export': [26 * 3600, 1, 1, 'ignore'],
  'never-exported': [0, 2, 2, 'ignore'],
};

test('every alarm fires above what it says, after the time that it says', () => {
  const fires = alarmsOf(template).map((alarm) => {
    const { Threshold, DatapointsToAlarm, EvaluationPeriods, TreatMissingData } = alarm;
    const when = [Threshold, DatapointsToAlarm, EvaluationPeriods, TreatMissingData];
    return [sectionOf(alarm), when];
  });

  expect(Object.fromEntries(fires)).toEqual(FIRES);
});

test('an alarm and a graph of several metrics show what those have that have a value', () => {
  const text = JSON.stringify(template.toJSON()['Resources']).replaceAll('\\', '');
  const expressions = [...text.matchAll(/"expression":"([^"]+)"/gi)].map(([, found]) => found);

  // A sum by + has no value where one of them has none, and FILL has nothing to fill where there is none at all.
  const of = /^(SUM|MAX)\(\[\w+(, \w+)*\]\)( [*/] [\d.]+)?$/;
  expect(expressions.length).toBeGreaterThan(10);
  expect(expressions.filter((each) => !of.test(each ?? ''))).toEqual([]);
});

test('the alarm of the HTTP API counts requests of each of its functions that were answered with 500', () => {
  const alarm = alarmsOf(template).find((each) => sectionOf(each) === 'http-api-errors');
  const counted = [alarm?.['Metrics'] ?? []].flat().map((each) => Object(each).MetricStat?.Metric);
  const functionsOf = (name: string) =>
    counted
      .filter((metric) => metric?.MetricName === name)
      .map(({ Dimensions }) => Dimensions[0].Value.Ref);

  expect(functionsOf('Errors')).toHaveLength(3);
  // Lambda counts none of them: the function ended with an answer.
  expect(functionsOf('RequestsFailed')).toEqual(functionsOf('Errors'));
});

test('tells a topic of every alarm and of its end', () => {
  template.allResourcesProperties('AWS::CloudWatch::Alarm', {
    AlarmActions: [TOPIC],
    OKActions: [TOPIC],
  });
});

test('without a topic alarms tell nobody', () => {
  synthesizedStack(settings).allResourcesProperties('AWS::CloudWatch::Alarm', {
    AlarmActions: Match.absent(),
  });
});

test('has no alarms when they are switched off', () => {
  synthesizedStack({ ...settings, alarms: false }).resourceCountIs('AWS::CloudWatch::Alarm', 0);
});

test.each([
  [undefined, 26],
  [48, 48],
  // Every seven days, and every month.
  [172, 172],
  [750, 750],
])('allows a completed export an age of noCompleteExportHours: %s', (given, hours) => {
  const alarms = given === undefined ? {} : { noCompleteExportHours: given };
  const stack = synthesizedStack({ ...settings, alarms });

  stack.hasResourceProperties('AWS::CloudWatch::Alarm', {
    AlarmDescription: Match.stringLikeRegexp('#no-complete-export$'),
    Threshold: hours * 3600,
  });
  // The function that measures leaves out those that have not had so many hours.
  stack.hasResourceProperties('AWS::Lambda::Function', {
    Environment: {
      Variables: { MEASURED: Match.stringLikeRegexp(`"overdueHours":${hours}`) },
    },
  });
  stack.hasResourceProperties('AWS::CloudWatch::Alarm', {
    AlarmDescription: Match.stringLikeRegexp('#never-exported$'),
    EvaluationPeriods: 2,
    DatapointsToAlarm: 2,
  });
});

test('measures no age when no connection has a schedule that runs', () => {
  const stack = synthesizedStack({
    ...settings,
    connections: { demo: {}, off: { schedule: { expression: 'rate(1 day)', enabled: false } } },
  });

  const sections = alarmsOf(stack).map(sectionOf);
  expect(sections).toContain('export-failed');
  expect(sections).not.toContain('no-complete-export');
  expect(stack.findResources('AWS::Lambda::Function')).not.toHaveProperty(
    'CustomersMeasureFunction9DEE8A7F',
  );
});

test.each([
  [{ noCompleteExportHours: 0 }, 'alarms.noCompleteExportHours: expected a whole number of hours'],
  [
    { noCompleteExportHours: 8_785 },
    'alarms.noCompleteExportHours: expected a whole number of hours',
  ],
  [{ topicArn: 'on-call' }, 'alarms.topicArn: expected the ARN of an SNS topic'],
  ...['http://wiki.example.com', 'https://wiki.example.com/a#b', 'runbook.md', 7].map(
    (runbookUrl) => [{ runbookUrl }, 'alarms.runbookUrl: expected an https: address'] as const,
  ),
  [{ topic: TOPIC }, 'alarms.topic: there is no such setting'],
  [true, 'alarms: expected an object'],
])('refuses the setting alarms %j', (alarms, message) => {
  expect(() => synthesizedStack({ ...settings, alarms })).toThrow(`customers-functions.${message}`);
});

test('watches what is told: every metric of an alarm or the dashboard with our namespace has a name that functions write', async () => {
  const source = readFileSync(
    join(import.meta.dirname, '../../../../functions/log/metrics.ts'),
    'utf8',
  );
  const written = new Set(
    [...source.matchAll(/^ {2}(\w+): '(?:Count|Seconds)',$/gm)].map(([, name]) => name),
  );
  const forAll = synthesizedStack({ ...settings, schedule: 'rate(1 day)' });
  const text = JSON.stringify(forAll.toJSON());
  const watched = [
    ...text.matchAll(/"MetricName":"(\w+)","Namespace":"CustomersFunctions"/g),
    ...text.matchAll(/\\"CustomersFunctions\\",\\"(\w+)\\"/g),
  ].map(([, name]) => name);

  expect(watched.length).toBeGreaterThan(10);
  expect([...new Set(watched)].filter((name) => !written.has(name))).toEqual([]);
  // "Steps" is the count behind the others, for questions that nobody has asked yet.
  expect([...written].filter((name) => !watched.includes(name))).toEqual(['Steps']);
});
