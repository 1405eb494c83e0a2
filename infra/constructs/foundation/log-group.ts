import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { defined } from '../../../lib/defined.ts';
import { foundationOf } from './foundation.ts';

export function logGroup(scope: Construct, id: string): LogGroup {
  const { encryptionKey, logRetention, dataProtection, removalPolicy } = foundationOf(scope);
  return new LogGroup(scope, id, {
    retention: logRetention,
    removalPolicy,
    ...defined({ encryptionKey, dataProtectionPolicy: dataProtection }),
  });
}
