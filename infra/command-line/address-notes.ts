import { repeatedPath } from '../settings/repeated-path.ts';

/** What to say before the first request of an address that holds what is added to it. */
export function addressNotes(baseUrl: string, resource: string): readonly string[] {
  const repeated = repeatedPath(baseUrl, resource);
  if (repeated === undefined) return [];
  const { path, meant } = repeated;
  return [
    `--base-url: requests go to ${new URL(baseUrl).origin}${path}/2.0/${resource}, since /2.0/${resource} is added to ${path}. If the API has no such path, give --base-url ${meant}.`,
  ];
}
