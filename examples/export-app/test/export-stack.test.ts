import { ok } from 'node:assert/strict';
import { test } from 'node:test';
import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { ExportStack } from '../lib/export-stack.ts';

// CloudFormation's rules are checked by `cdk synth`; here they would take longer than all else.
process.env['CDK_VALIDATION'] = 'false';
const template = Template.fromStack(new ExportStack(new App(), 'Tested'));

test('exports begin at three in the morning in Berlin', () => {
  template.hasResourceProperties('AWS::Scheduler::Schedule', {
    ScheduleExpression: 'cron(0 3 * * ? *)',
    ScheduleExpressionTimezone: 'Europe/Berlin',
  });
});

test('every alarm goes to the topic', () => {
  const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm'));
  ok(alarms.length > 0);
  for (const { Properties } of alarms) ok(Properties.AlarmActions.length > 0);
});

test('CloudWatch may publish to the topic', () => {
  template.hasResourceProperties('AWS::SNS::TopicPolicy', {
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({
          Action: 'sns:Publish',
          Effect: 'Allow',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
        }),
      ]),
    },
  });
});

test('the commands of the documentation find the stack by its outputs', () => {
  template.hasOutput('CustomersSecretPrefix', {});
  template.hasOutput('CustomersExportBucketName', {});
});
