import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What docs/command.md says that each command needs, in its words: `GET exports/*` of the HTTP API, and
 * `dynamodb:Query on export-history` of a service.
 */
export interface DocumentedRights {
  readonly overHttp: ReadonlyMap<string, readonly string[]>;
  readonly ofServices: ReadonlyMap<string, readonly string[]>;
}

const ROUTE = /`((?:GET|POST) [^`]+)`/g;
/** An action, and what it is on where the column does not say it. */
const ACTION = /`(\w+:\w+)`(?: on (?:its index )?(?:`([^`]+)`|(the event bus)))?/g;

export function documentedRights(): DocumentedRights {
  const page = readFileSync(join(import.meta.dirname, '../../docs/command.md'), 'utf8');
  const http = rowsBelow(page, '## What it needs');
  const services = rowsBelow(page, '## Without an HTTP API');
  return {
    overHttp: byCommand(http, ([, action = '', paths = '']) =>
      action.includes('execute-api:Invoke') ? found(paths, ROUTE) : found(action, ACTION),
    ),
    ofServices: byCommand(services, (cells) =>
      withOthers(cells, services).flatMap((cell) => found(cell, ACTION)),
    ),
  };
}

type Row = readonly string[];

function rowsBelow(page: string, heading: string): readonly Row[] {
  const section = page.slice(page.indexOf(`${heading}\n`)).split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((line) => line.split('|').slice(1, -1));
}

function byCommand(rows: readonly Row[], rightsOf: (row: Row) => readonly string[]) {
  return new Map(
    rows.flatMap((row) => commandsIn(row).map((name) => [name, rightsOf(row)] as const)),
  );
}

function commandsIn([commands = '']: Row): readonly string[] {
  return [...commands.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name);
}

/** A cell may say that it is the same "as `download`". */
function withOthers(row: Row, rows: readonly Row[]): readonly string[] {
  return row.flatMap((cell, column) => {
    const other = /as `([\w-]+)`/.exec(cell)?.[1];
    const same = rows.find((each) => other !== undefined && commandsIn(each).includes(other));
    return [cell, same?.[column] ?? ''];
  });
}

function found(cell: string, pattern: RegExp): readonly string[] {
  return [...cell.matchAll(pattern)].map(([, right = '', on, bus]) => {
    const target = on ?? bus;
    return target === undefined ? right : `${right} on ${target}`;
  });
}
