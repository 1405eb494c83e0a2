/** Class of each SDK client that a function uses, by its package. */
export const CLIENT_CLASSES: Readonly<Record<string, string>> = {
  '@aws-sdk/client-dynamodb': 'DynamoDBClient',
  '@aws-sdk/client-eventbridge': 'EventBridgeClient',
  '@aws-sdk/client-s3': 'S3Client',
  '@aws-sdk/client-secrets-manager': 'SecretsManagerClient',
  '@aws-sdk/client-sqs': 'SQSClient',
};

/** Makes the clients while it is imported. */
export function clientsCode(clients: readonly string[]): string {
  return `${importsOf(clients)} export const clients = [${constructorsOf(clients)}];`;
}

/** Makes the clients at the first call. */
export function lazyClientsCode(clients: readonly string[]): string {
  return `${importsOf(clients)} export const first = () => [${constructorsOf(clients)}];`;
}

/** Makes the clients at the first call, and runs their packages only then. */
export function lazyImportsCode(clients: readonly string[]): string {
  const made = clients.map((name) => `new (await import('${name}')).${classOf(name)}({})`);
  return `export const first = async () => [${made.join(', ')}];`;
}

function importsOf(clients: readonly string[]): string {
  return clients.map((name) => `import { ${classOf(name)} } from '${name}';`).join('\n');
}

function constructorsOf(clients: readonly string[]): string {
  return clients.map((name) => `new ${classOf(name)}({})`).join(', ');
}

function classOf(name: string): string {
  const className = CLIENT_CLASSES[name];
  if (className !== undefined) return className;
  throw new Error(`Add ${name} to CLIENT_CLASSES of test/bench/sdk-clients.ts.`);
}
