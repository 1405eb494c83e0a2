import { expect, test } from '@jest/globals';
import { Match } from 'aws-cdk-lib/assertions';
import { customersSettingsOf } from '../../../infra/settings/customers-settings.ts';
import { propertiesOf, synthesizedStack } from '../synthesized-stack.ts';

const settings = { baseUrl: 'https://api.example.com', connections: { demo: {} } };
const template = synthesizedStack(settings);

test('authorizes every route by IAM, and names each method of each path', () => {
  template.allResourcesProperties('AWS::ApiGatewayV2::Route', { AuthorizationType: 'AWS_IAM' });
  const keys = propertiesOf(template, 'AWS::ApiGatewayV2::Route').map(({ RouteKey }) => RouteKey);

  expect(keys.sort()).toEqual([
    'ANY /connections/{connection}/customers',
    'ANY /connections/{connection}/exports',
    'ANY /connections/{connection}/exports/{exportId}',
    'ANY /connections/{connection}/exports/{exportId}/cancel',
    'ANY /connections/{connection}/exports/{exportId}/changes',
    'ANY /connections/{connection}/exports/{exportId}/changes/decision',
    'ANY /connections/{connection}/exports/{exportId}/files',
    'ANY /connections/{connection}/gate',
    'ANY /connections/{connection}/gate/opening',
    'ANY /connections/{connection}/lists/{list}',
    'GET /connections/{connection}/customers',
    'GET /connections/{connection}/exports',
    'GET /connections/{connection}/exports/{exportId}',
    'GET /connections/{connection}/exports/{exportId}/changes',
    'GET /connections/{connection}/exports/{exportId}/files',
    'GET /connections/{connection}/gate',
    'GET /connections/{connection}/lists/{list}',
    'POST /connections/{connection}/exports',
    'POST /connections/{connection}/exports/{exportId}/cancel',
    'POST /connections/{connection}/exports/{exportId}/changes/decision',
    'POST /connections/{connection}/gate/opening',
  ]);
});

test('lets this API invoke each of its functions, by one permission, and no other API', () => {
  const permissions = propertiesOf(template, 'AWS::Lambda::Permission').filter(
    ({ Principal }) => Principal === 'apigateway.amazonaws.com',
  );
  const functions = permissions.map(({ FunctionName }) => Object(FunctionName)['Fn::GetAtt'][0]);

  expect(functions.sort()).toEqual([
    expect.stringMatching(/^CustomersHttpApiFunction/),
    expect.stringMatching(/^CustomersHttpApiListChanges/),
    expect.stringMatching(/^CustomersHttpApiListFiles/),
  ]);
  const [apiId] = Object.keys(template.findResources('AWS::ApiGatewayV2::Api'));
  for (const { SourceArn } of permissions) {
    const { 'Fn::Join': [, parts] = [] } = Object(SourceArn);
    expect(parts.slice(-3)).toEqual([':', { Ref: apiId }, '/*/*/*']);
  }
});

test('throttles all callers together and writes one line of JSON for each request', () => {
  const [stage] = propertiesOf(template, 'AWS::ApiGatewayV2::Stage');
  expect(stage).toMatchObject({
    StageName: '$default',
    AutoDeploy: true,
    DefaultRouteSettings: { ThrottlingRateLimit: 10, ThrottlingBurstLimit: 20 },
    AccessLogSettings: { DestinationArn: expect.anything() },
  });
  const { Format } = Object(stage?.['AccessLogSettings']);
  expect(JSON.parse(Format)).toMatchObject({ status: '$context.status', path: '$context.path' });
  expect(Format).not.toMatch(/query|authorizer\.claims\W*$/i);
  template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
});

test('ends the function before API Gateway gives up', () => {
  template.hasResourceProperties('AWS::Lambda::Function', {
    Description: Match.stringLikeRegexp('^Serves the HTTP API'),
    Timeout: 29,
  });
});

test('takes tokens of an issuer in place of signatures', () => {
  const issuer = 'https://login.example.com/tenant';
  const httpApi = { authorization: { issuer, audience: ['customers'] }, requestsPerSecond: 3 };
  const withTokens = synthesizedStack({ ...settings, httpApi });

  withTokens.allResourcesProperties('AWS::ApiGatewayV2::Route', { AuthorizationType: 'JWT' });
  withTokens.hasResourceProperties('AWS::ApiGatewayV2::Authorizer', {
    AuthorizerType: 'JWT',
    IdentitySource: ['$request.header.Authorization'],
    JwtConfiguration: { Issuer: issuer, Audience: ['customers'] },
  });
  withTokens.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
    DefaultRouteSettings: { ThrottlingRateLimit: 3, ThrottlingBurstLimit: 20 },
  });
});

test('tells its address, and leaves nothing behind when it is left out', () => {
  expect(template.findOutputs('HttpApiUrl')).toHaveProperty('HttpApiUrl');
  const without = synthesizedStack({ ...settings, httpApi: false });

  expect(without.findOutputs('HttpApiUrl')).toEqual({});
  without.resourceCountIs('AWS::ApiGatewayV2::Api', 0);
  expect(propertiesOf(without, 'AWS::Lambda::Function')).toHaveLength(
    propertiesOf(template, 'AWS::Lambda::Function').length - 3,
  );
});

const issuer = 'https://login.example.com';
test.each<[string, unknown, string]>([
  ['', true, 'expected an object such as'],
  ['', 'iam', 'expected an object such as'],
  ['.authorization', { authorization: 'none' }, 'expected "iam", or an object'],
  ['.authorization.audience', { authorization: { issuer } }, 'this setting is missing'],
  ['.authorization.audience', { authorization: { issuer, audience: [] } }, 'expected one or more'],
  [
    '.authorization.issuer',
    { authorization: { issuer: 'http://x', audience: ['a'] } },
    'expected the https: address',
  ],
  ['.requestsPerSecond', { requestsPerSecond: 0 }, 'from 1 to 10000'],
  ['.burst', { burst: 5_001 }, 'from 1 to 5000'],
  ['.cors', { cors: true }, 'there is no such setting'],
])('fails naming customers-functions.httpApi%s', (place, httpApi, problem) => {
  expect(() => customersSettingsOf({ ...settings, httpApi })).toThrow(
    expect.objectContaining({
      setting: `customers-functions.httpApi${place}`,
      message: expect.stringContaining(problem),
    }),
  );
});
