import { CLIENT_SETTINGS } from '../../../functions/aws/client-settings.ts';

/** Options of an SDK client for a server on this machine. */
export function clientFor(endpoint: string) {
  return {
    ...CLIENT_SETTINGS,
    endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  };
}
