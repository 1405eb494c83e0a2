import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as cdk from 'aws-cdk-lib';
import * as gateway from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { sampleRole } from '../sample-role.ts';

const echoFolder = fileURLToPath(new URL('../sample-functions/echo', import.meta.url));

/** An HTTP API with one function: for signed requests, under a token, and behind a short time limit. */
export function synthesizeHttpSample(): string {
  const outdir = mkdtempSync(join(tmpdir(), 'http-sample-'));
  const app = new cdk.App({ outdir, analyticsReporting: false });
  const stack = new cdk.Stack(app, 'HttpSample');
  const echo = new lambda.Function(stack, 'Echo', {
    code: lambda.Code.fromAsset(echoFolder),
    role: sampleRole(stack, 'EchoRole'),
    handler: 'index.handler',
    runtime: lambda.Runtime.NODEJS_24_X,
    timeout: cdk.Duration.seconds(20),
  });
  const api = new gateway.HttpApi(stack, 'Api', { createDefaultStage: false });
  const integration = new HttpLambdaIntegration('Echo', echo);
  api.addRoutes({
    path: '/echo/{name}',
    methods: [gateway.HttpMethod.POST, gateway.HttpMethod.ANY],
    integration,
    authorizer: new HttpIamAuthorizer(),
  });
  api.addRoutes({
    path: '/token',
    methods: [gateway.HttpMethod.GET],
    integration,
    authorizer: new HttpJwtAuthorizer('Tokens', 'https://login.example.com', {
      jwtAudience: ['sample'],
    }),
  });
  api.addRoutes({
    path: '/slow',
    methods: [gateway.HttpMethod.GET],
    integration: new HttpLambdaIntegration('Slow', echo, { timeout: cdk.Duration.millis(100) }),
    authorizer: new HttpIamAuthorizer(),
  });
  new gateway.HttpStage(stack, 'Stage', {
    httpApi: api,
    autoDeploy: true,
    throttle: { rateLimit: 1, burstLimit: 100 },
  });
  new cdk.CfnOutput(stack, 'Url', { value: api.apiEndpoint });
  return app.synth().directory;
}
