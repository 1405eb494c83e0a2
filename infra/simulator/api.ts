import { type Answer, errorAnswer, jsonAnswer } from './answer.ts';
import type { FaultKind } from './faults.ts';
import { prettyJson } from './json-text.ts';
import { ListPages, type ListRules } from './list-page.ts';
import type { ListChange } from './options.ts';
import type { Organization } from './organizations.ts';
import { randomBelow } from './random.ts';
import type { RecordList } from './record-list.ts';
import { notFound, type WriteOutcome, write } from './writes.ts';

/** What the API is made of, beside the organizations. */
export interface ApiWorld {
  readonly basePath: string;
  /** `https://localhost:PORT`. */
  origin: string;
  readonly rules: ListRules;
  readonly change: ListChange | undefined;
  readonly random: () => number;
  readonly pages: WeakMap<RecordList, ListPages>;
  listRequests: number;
}

/** A request with a good key. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  header(name: string): string | undefined;
  readonly body: string;
  readonly organization: Organization;
  readonly fault: FaultKind | undefined;
  readonly at: number;
}

const COLLECTION_METHODS: readonly string[] = ['GET', 'POST'];
const RECORD_METHODS: readonly string[] = ['GET', 'PUT', 'PATCH', 'DELETE'];

/** Answers a request whose key is good; what changes is told as an effect. */
export function answerFromApi(world: ApiWorld, request: ApiRequest): WriteOutcome {
  const [resource = '', recordId, ...rest] = segmentsOf(world.basePath, request.path);
  const list = request.organization.resources.get(resource);
  if (list === undefined || rest.length > 0 || recordId === '') return { answer: notFound() };
  const methods = recordId === undefined ? COLLECTION_METHODS : RECORD_METHODS;
  if (!methods.includes(request.method)) return { answer: notAllowed(methods) };
  if (request.method !== 'GET') {
    return write(
      {
        method: request.method,
        path: request.path,
        resource,
        recordId,
        contentType: request.header('content-type'),
        idempotencyKey: request.header('idempotency-key'),
        reference: request.header('x-reference'),
        body: request.body,
        at: request.at,
      },
      list,
      request.organization.writes,
    );
  }
  if (!acceptsJson(request.header('accept'))) {
    return { answer: errorAnswer(406, 'not_acceptable', 'Expected Accept: application/json.') };
  }
  return {
    answer:
      recordId === undefined ? page(world, request, resource, list) : record(world, list, recordId),
  };
}

function page(world: ApiWorld, request: ApiRequest, resource: string, list: RecordList): Answer {
  const pages = world.pages.get(list) ?? new ListPages(list, world.rules);
  world.pages.set(list, pages);
  const answer = pages.answer({
    resource,
    url: `${world.origin}${request.path}`,
    query: request.query,
    fault: request.fault,
  });
  world.listRequests += 1;
  const { change } = world;
  if (change !== undefined && world.listRequests % change.everyRequests === 0) {
    changeList(list, change, world.random, request.at);
  }
  return answer;
}

function record(world: ApiWorld, list: RecordList, id: string): Answer {
  const text = list.find(id);
  if (text === undefined) return notFound();
  return jsonAnswer(200, world.rules.pretty ? `${prettyJson(text)}\n` : text);
}

/** What others do to the list meanwhile. */
function changeList(list: RecordList, change: ListChange, random: () => number, at: number): void {
  for (let count = 0; count < change.inserts; count += 1) {
    list.insert(at, randomBelow(random, list.size + 1));
  }
  for (let count = 0; count < change.deletes; count += 1) {
    const id = list.idAt(randomBelow(random, list.size));
    if (id !== undefined) list.remove(at, id);
  }
  for (let count = 0; count < (change.updates ?? 0); count += 1) {
    list.touch(at, randomBelow(random, list.size));
  }
}

function segmentsOf(basePath: string, path: string): readonly string[] {
  const prefix = `${basePath}/2.0/`;
  return path.startsWith(prefix) ? path.slice(prefix.length).split('/') : [];
}

function acceptsJson(accept: string | undefined): boolean {
  return accept === undefined || /application\/(json|\*)|\*\/\*/.test(accept);
}

function notAllowed(methods: readonly string[]): Answer {
  const allow = methods.join(', ');
  return errorAnswer(405, 'method_not_allowed', `Expected one of ${allow}.`, [['Allow', allow]]);
}
