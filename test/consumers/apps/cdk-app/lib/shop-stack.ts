import { Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import * as cdk from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { CustomersIntegration, functionBundling } from 'customers-functions/infra';

export class ShopStack extends cdk.Stack {
  constructor(scope: Construct, id: string, props?: cdk.StackProps) {
    super(scope, id, props);
    const customers = new CustomersIntegration(this, 'Customers', {
      connectionTable: {
        defaults: { baseUrl: 'https://api.example.com' },
        connections: { demo: {} },
      },
      schedules: { demo: ScheduleExpression.rate(cdk.Duration.hours(6)) },
    });
    new CustomersIntegration(this, 'Partners', {
      connectionTable: {
        defaults: { baseUrl: 'https://partners.example.com' },
        connections: { demo: {} },
      },
      outputs: false,
    });
    const readCustomer = new NodejsFunction(this, 'ReadCustomer', {
      entry: 'lambda/read-customer.ts',
      runtime: Runtime.NODEJS_24_X,
      bundling: functionBundling,
    });
    customers.grantClient(readCustomer, ['demo']);
  }
}
