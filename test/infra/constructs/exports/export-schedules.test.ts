import { expect, test } from '@jest/globals';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { parseFanOutMessage } from '../../../../functions/messages/fan-out-message.ts';
import { synthesizedStack } from '../../synthesized-stack.ts';

const baseUrl = 'https://api.example.com';

function schedulesOf(template: Template): Record<string, Record<string, unknown>> {
  const found = Object.values(template.findResources('AWS::Scheduler::Schedule'));
  return Object.fromEntries(found.map(({ Properties }) => [Properties.Description, Properties]));
}

function inputOf(template: Template, description = 'Exports of all connections'): unknown {
  const { Target } = Object(schedulesOf(template)[description]);
  return JSON.parse(Object(Target).Input);
}

test('one schedule starts the exports of all connections, however many there are', () => {
  const template = synthesizedStack({ baseUrl, schedule: 'cron(0 3 * * ? *)' });

  expect(Object.keys(schedulesOf(template))).toEqual(['Exports of all connections']);
  const input = inputOf(template);
  expect(input).toEqual({
    v: 1,
    scheduledTime: '<aws.scheduler.scheduled-time>',
    list: 'customers',
  });
  const time = '2026-01-01T03:00:00Z';
  const delivered = JSON.stringify(input).replace(/<[^>]+>/, time);
  expect(parseFanOutMessage(delivered).kind).toBe('value');
});

test('leaves out who has a schedule of its own or none, and spreads the starts itself', () => {
  const schedule = { expression: 'rate(1 day)', flexibleWindowMinutes: 60 };
  const connections = {
    own: { schedule: 'rate(1 hour)' },
    none: { schedule: { enabled: false } },
    other: { perPage: 50 },
  };
  const template = synthesizedStack({ baseUrl, schedule, connections });

  expect(inputOf(template)).toMatchObject({ windowMinutes: 60, except: ['own', 'none'] });
  const planned = schedulesOf(template);
  expect(Object.keys(planned).sort()).toEqual(['Exports of all connections', 'Exports of own']);
  expect(planned['Exports of all connections']).toMatchObject({
    FlexibleTimeWindow: { Mode: 'OFF' },
  });
  expect(measuredIn(template)).toEqual([
    {
      ...{ lists: ['customers'], all: true, own: false },
      ...{ names: ['other'], except: ['own', 'none'] },
    },
    { lists: ['customers'], all: false, names: ['own'], except: [], own: true },
  ]);
});

function measuredIn(template: Template): unknown {
  const [measured] = Object.values(template.findResources('AWS::Lambda::Function')).flatMap(
    ({ Properties }) => Properties.Environment?.Variables?.MEASURED ?? [],
  );
  const { exports, overdueHours } = JSON.parse(measured);
  expect(overdueHours).toBe(26);
  return exports;
}

test('every list has the schedule of the nearest place that has one', () => {
  const template = synthesizedStack({
    baseUrl,
    schedule: 'rate(1 day)',
    lists: { invoices: { schedule: 'rate(2 days)' }, subscriptions: {} },
    connections: {
      plain: {},
      own: { schedule: 'rate(3 days)' },
      listed: { lists: { invoices: { schedule: 'rate(4 days)' }, subscriptions: false } },
      never: { lists: { customers: { schedule: { enabled: false } }, quotes: {} } },
    },
  });

  const planned = Object.entries(schedulesOf(template)).map(([name, { ScheduleExpression }]) => [
    name,
    ScheduleExpression,
  ]);
  expect(Object.fromEntries(planned)).toEqual({
    'Exports of all connections': 'rate(1 day)',
    'Exports of invoices of all connections': 'rate(2 days)',
    'Exports of subscriptions of all connections': 'rate(1 day)',
    'Exports of quotes of all connections': 'rate(1 day)',
    // The list of all connections comes before the connection.
    'Exports of own': 'rate(3 days)',
    'Exports of subscriptions of own': 'rate(3 days)',
    'Exports of invoices of listed': 'rate(4 days)',
  });
  const exceptOf = (of: string) => Object(inputOf(template, `Exports of ${of}all connections`));
  expect(exceptOf('')).toMatchObject({ list: 'customers', except: ['own', 'never'] });
  expect(exceptOf('invoices of ')).toMatchObject({ list: 'invoices', except: ['listed'] });
  expect(exceptOf('subscriptions of ')).toMatchObject({ list: 'subscriptions', except: ['own'] });
  expect(exceptOf('quotes of ')).not.toHaveProperty('except');
  expect(inputOf(template, 'Exports of subscriptions of own')).toEqual({
    connection: 'own',
    list: 'subscriptions',
    trigger: { kind: 'schedule', scheduledTime: '<aws.scheduler.scheduled-time>' },
  });
  expect(measuredIn(template)).toEqual([
    {
      ...{ lists: ['customers'], all: true, own: false },
      ...{ names: ['plain', 'listed'], except: ['own', 'never'] },
    },
    { lists: ['customers', 'subscriptions'], all: false, names: ['own'], except: [], own: true },
    {
      ...{ lists: ['invoices'], all: true, own: false },
      ...{ names: ['plain', 'own', 'never'], except: ['listed'] },
    },
    { lists: ['invoices'], all: false, names: ['listed'], except: [], own: true },
    {
      ...{ lists: ['subscriptions'], all: true, own: false },
      ...{ names: ['plain', 'never'], except: ['own', 'listed'] },
    },
    // Nobody else has it.
    { lists: ['quotes'], all: false, names: ['never'], except: [], own: false },
  ]);
});

test('lists that are exported alike are told of once', () => {
  const template = synthesizedStack({
    baseUrl,
    lists: { invoices: {}, subscriptions: {} },
    connections: { own: { schedule: 'rate(1 day)' }, other: {} },
  });

  expect(measuredIn(template)).toEqual([
    {
      lists: ['customers', 'invoices', 'subscriptions'],
      all: false,
      names: ['own'],
      except: [],
      own: true,
    },
  ]);
  expect(Object.keys(schedulesOf(template))).toHaveLength(3);
});

test('a list that is left out has no schedule', () => {
  const template = synthesizedStack({
    baseUrl,
    schedule: 'rate(1 day)',
    lists: { customers: false, invoices: {} },
  });

  expect(Object.keys(schedulesOf(template))).toEqual(['Exports of invoices of all connections']);
});

test.each([
  [{ lists: { invoices: { schedule: 'daily' } } }, 'lists.invoices.schedule: expected rate(…)'],
  [
    { connections: { acme: { lists: { invoices: { schedule: { expression: 7 } } } } } },
    'connections.acme.lists.invoices.schedule.expression: expected rate(…)',
  ],
  [
    { connections: { acme: { lists: { invoices: { shedule: 'rate(1 day)' } } } } },
    'connections.acme.lists.invoices.shedule: there is no such setting',
  ],
])('refuses %j, naming the place', (settings, message) => {
  expect(() => synthesizedStack({ baseUrl, ...settings })).toThrow(
    `customers-functions.${message}`,
  );
});

test('switches a schedule off that is over, and expects exports from its start to its end alone', () => {
  const expression = 'rate(1 day)';
  const connections = {
    over: { schedule: { expression, end: '2026-01-01T00:00:00Z' } },
    ending: { schedule: { expression, end: '2999-01-01T00:00:00Z' } },
    ahead: { schedule: { expression, start: '2999-01-01T00:00:00Z' } },
    also: { schedule: { expression, start: '2999-01-01T00:00:00Z' } },
  };
  const template = synthesizedStack({ baseUrl, connections });

  const planned = schedulesOf(template);
  expect(planned['Exports of over']).toMatchObject({ State: 'DISABLED' });
  expect(planned['Exports of over']).not.toHaveProperty('EndDate');
  const ending = { State: 'ENABLED', EndDate: '2999-01-01T00:00:00.000Z' };
  expect(planned['Exports of ending']).toMatchObject(ending);
  const timeMs = Date.parse('2999-01-01T00:00:00Z');
  expect(measuredIn(template)).toMatchObject([
    { names: ['over'], endMs: Date.parse('2026-01-01T00:00:00Z') },
    { names: ['ending'], endMs: timeMs },
    { names: ['ahead', 'also'], startMs: timeMs },
  ]);
});

test('gives the scheduler a start that lies ahead, and none that it would refuse because it is over', () => {
  const expression = 'rate(1 day)';
  const connections = {
    ahead: { schedule: { expression, start: '2999-01-01T00:00:00Z' } },
    over: { schedule: { expression, start: '2026-01-01T00:00:00Z' } },
  };

  const planned = schedulesOf(synthesizedStack({ baseUrl, connections }));
  expect(planned['Exports of ahead']).toHaveProperty('StartDate', '2999-01-01T00:00:00.000Z');
  expect(planned['Exports of over']).not.toHaveProperty('StartDate');
});

test('lists secrets and reads none more than before', () => {
  const template = synthesizedStack({ baseUrl, schedule: 'rate(1 day)' });
  const statements = Object.values(template.findResources('AWS::IAM::Policy')).flatMap(
    ({ Properties }) => Properties.PolicyDocument.Statement,
  );
  const lists = statements.filter(({ Action }) => Action === 'secretsmanager:ListSecrets');

  // The one that starts all, and the one that measures.
  expect(lists).toHaveLength(2);
  expect(lists.every(({ Resource }) => Resource === '*')).toBe(true);
});

test.each([
  [undefined, 50],
  [2, 2],
  [1_000, 1_000],
])('maxConcurrentExports %s bounds the workers at once', (maxConcurrentExports, expected) => {
  const given = maxConcurrentExports === undefined ? {} : { maxConcurrentExports };
  synthesizedStack({ baseUrl, ...given }).hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    ScalingConfig: { MaximumConcurrency: expected },
  });
});

test.each([1, 1_001, 2.5, '10'])('refuses maxConcurrentExports %j', (maxConcurrentExports) => {
  expect(() => synthesizedStack({ baseUrl, maxConcurrentExports })).toThrow(
    'customers-functions.maxConcurrentExports: expected a whole number from 2 to 1000',
  );
});

test('refuses a schedule for all that is wrong, and one without an expression that runs', () => {
  const message = (schedule: unknown) => () => synthesizedStack({ baseUrl, schedule });

  expect(message('daily')).toThrow('customers-functions.schedule: expected rate(…) or cron(…)');
  expect(message({ enabled: true })).toThrow('customers-functions.schedule.expression: ');
  expect(message({ enabled: false, timezone: 'UTC' })).toThrow('customers-functions.schedule');
});

test('a stack without a connection in its settings has all that it needs', () => {
  const template = synthesizedStack({ baseUrl });

  template.resourceCountIs('AWS::Scheduler::Schedule', 0);
  template.hasResourceProperties('AWS::Lambda::Function', {
    Environment: {
      Variables: {
        CONNECTIONS: JSON.stringify({ defaults: { baseUrl }, connections: {} }),
        FAN_OUT_QUEUE_URL: Match.absent(),
      },
    },
  });
});
