import { OPERATOR } from '../../../infra/local/iam/access.ts';
import type { IamRequest } from '../../../infra/local/iam/request.ts';

/** Of every command, and on no resource of an integration. */
const OF_ALL = 'cloudformation:DescribeStacks';

/** Collects what each command called as the person who ran it, in the words of docs/command.md. */
export class NeededRights {
  /** Such as `list http-api`. */
  readonly #rights = new Map<string, Set<string>>();
  #running: string | undefined;

  /** While it is undefined, nobody's command runs. */
  running(command: string | undefined): void {
    this.#running = command;
  }

  saw(caller: string, { action, resource }: IamRequest): void {
    if (caller !== OPERATOR || this.#running === undefined || action === OF_ALL) return;
    const rights = this.#rights.get(this.#running) ?? new Set();
    this.#rights.set(this.#running, rights.add(wordsOf(action, resource)));
  }

  commands(): readonly string[] {
    return [...this.#rights.keys()];
  }

  /** @param outputs Of the stack: they name its queues and functions on the page. */
  of(command: string, outputs: Readonly<Record<string, unknown>>): readonly string[] {
    const names = Object.entries(outputs).map(([name, value]) => [String(value), name] as const);
    return [...(this.#rights.get(command) ?? [])].map((right) => {
      const [, value] = right.split(' on ');
      const [, output] = names.find(([each]) => value !== undefined && each.endsWith(value)) ?? [];
      return output === undefined ? right : right.replace(`${value}`, output);
    });
  }
}

function wordsOf(action: string, resource: string): string {
  const name = resource.split(/[:/]/).at(-1) ?? '';
  switch (action.split(':')[0]) {
    case 'execute-api':
      return routeOf(resource);
    case 'dynamodb':
      return resource.includes('/index/') ? `${action} on ${name}` : action;
    case 's3':
      return `${action} on ${resource.replace(/^[^/]*\/(exports\/connection=acme\/).*/, '$1*')}`;
    case 'secretsmanager':
      return action;
    case 'events':
      return `${action} on the event bus`;
    default:
      return `${action} on ${name}`;
  }
}

/** Ids of exports and writes become `*`. */
function routeOf(resource: string): string {
  const [, , method, , , ...path] = resource.split('/');
  const [list, id, ...rest] = path;
  const isGate = list === 'gate';
  return `${method} ${[list, ...(id === undefined ? [] : [isGate ? id : '*']), ...rest].join('/')}`;
}
