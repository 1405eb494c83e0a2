import { clientSettings } from '../../../functions/aws/client-settings.ts';

/** Options of an SDK client for a server on this machine. */
export function clientFor(endpoint: string) {
  return {
    ...clientSettings(),
    endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  };
}
