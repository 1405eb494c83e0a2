import { type Answer, errorAnswer, jsonAnswer } from './answer.ts';
import type { FaultKind } from './faults.ts';
import { prettyJson } from './json-text.ts';
import { listPage } from './list-page.ts';
import type { ListChange, ListEdit, SimulatorSettings } from './options.ts';
import type { Organization } from './organizations.ts';
import { randomBelow } from './random.ts';
import type { RecordList } from './record-list.ts';
import { isResource, type ResourceName } from './resources.ts';
import { notFound, type ReceivedRequest, type WriteOutcome, write } from './writes.ts';

export interface ApiWorld {
  readonly settings: SimulatorSettings;
  /** `https://localhost:PORT`. */
  origin: string;
  readonly random: () => number;
  listRequests: number;
  /** What happens while lists are read. */
  change: ListChange | undefined;
}

/** A request with a good key. */
export interface ApiRequest extends ReceivedRequest {
  readonly query: URLSearchParams;
  readonly organization: Organization;
  readonly fault: FaultKind | undefined;
}

const COLLECTION_METHODS: readonly string[] = ['GET', 'POST'];
const RECORD_METHODS: readonly string[] = ['GET', 'PUT', 'PATCH', 'DELETE'];

/** Answers a request whose key is good, and says what effect it had. */
export function answerFromApi(world: ApiWorld, request: ApiRequest): WriteOutcome {
  const { settings } = world;
  const [resource = '', recordId, ...rest] = segmentsOf(settings.basePath, request.path);
  if (!isResource(resource) || rest.length > 0 || recordId === '') return { answer: notFound() };
  const list = request.organization.resources[resource];
  const methods = recordId === undefined ? COLLECTION_METHODS : RECORD_METHODS;
  if (!methods.includes(request.method)) return { answer: notAllowed(methods) };
  if (request.method !== 'GET') {
    return write({ ...request, resource, recordId }, list, request.organization.writes);
  }
  if (!acceptsJson(request.header('accept'))) {
    return { answer: errorAnswer(406, 'not_acceptable', 'Expected Accept: application/json.') };
  }
  if (recordId === undefined) return { answer: page(world, request, resource) };
  const text = list.find(recordId);
  if (text === undefined) return { answer: notFound() };
  return { answer: jsonAnswer(200, settings.pretty ? `${prettyJson(text)}\n` : text) };
}

/** The segments of a path under `/2.0/`; none for another path. */
export function segmentsOf(basePath: string, path: string): readonly string[] {
  const prefix = `${basePath}/2.0/`;
  return path.startsWith(prefix) ? path.slice(prefix.length).split('/') : [];
}

function page(world: ApiWorld, request: ApiRequest, resource: ResourceName): Answer {
  const { query, fault, organization } = request;
  const list = organization.resources[resource];
  const url = `${world.origin}${request.path}`;
  const answer = listPage(list, world.settings, { resource, url, query, fault });
  world.listRequests += 1;
  const { change } = world;
  const isDue = change !== undefined && world.listRequests % change.everyRequests === 0;
  if (isDue) editList(list, change, world.random, request.at);
  return answer;
}

/** What others do to the list meanwhile. */
export function editList(
  list: RecordList,
  { inserts, deletes, updates = 0 }: ListEdit,
  random: () => number,
  at: number,
): void {
  for (let count = 0; count < inserts; count += 1) list.insert(at);
  for (let count = 0; count < deletes; count += 1) {
    const id = list.idAt(randomBelow(random, list.size));
    if (id !== undefined) list.remove(at, id);
  }
  for (let count = 0; count < updates; count += 1) {
    list.touch(at, randomBelow(random, list.size));
  }
}

function acceptsJson(accept: string | undefined): boolean {
  return accept === undefined || /application\/(json|\*)|\*\/\*/.test(accept);
}

function notAllowed(methods: readonly string[]): Answer {
  const allow = methods.join(', ');
  return errorAnswer(405, 'method_not_allowed', `Expected one of ${allow}.`, [['Allow', allow]]);
}
