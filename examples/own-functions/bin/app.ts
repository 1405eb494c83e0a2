import { App } from 'aws-cdk-lib';
import { OwnFunctionsStack } from '../lib/own-functions-stack.ts';

new OwnFunctionsStack(new App(), 'OwnFunctions');
