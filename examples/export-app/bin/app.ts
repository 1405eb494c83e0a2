import { App } from 'aws-cdk-lib';
import { ExportStack } from '../lib/export-stack.ts';

new ExportStack(new App(), 'CustomersExport');
