import { Duration, Stack, TimeZone } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { CustomersIntegration } from 'customers-functions/infra';

/** Customers and invoices of each organization, every night, and a topic that hears when a night fails. */
export class ExportStack extends Stack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const nights = ScheduleExpression.cron({
      hour: '3',
      minute: '0',
      timeZone: TimeZone.EUROPE_BERLIN,
    });
    const topic = new Topic(this, 'Alarms', { enforceSSL: true });
    // The policy that refuses what comes without TLS takes the place of the one by which CloudWatch may publish.
    topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com'));
    new CustomersIntegration(this, 'Customers', {
      connectionTable: {
        defaults: { baseUrl: 'https://api.example.com', lists: { invoices: { perPage: 200 } } },
        // An organization without settings of its own needs no entry, only its secret.
        connections: { acme: { requestsPerSecond: 5 } },
      },
      schedule: { schedule: nights },
      alarms: {
        topic,
        noCompleteExportAfter: Duration.hours(26),
      },
    });
  }
}
