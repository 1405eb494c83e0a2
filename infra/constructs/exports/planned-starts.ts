import type { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import {
  type ConnectionTable,
  connectionSettingsOf,
  listsOfAll,
} from '../../../functions/services/connection-settings.ts';
import type { MeasuredExports } from '../../../functions/services/environment.ts';
import { defined } from '../../../lib/defined.ts';
import { SettingError } from '../../../lib/errors.ts';
import { groupBy } from '../../../lib/group-by.ts';
import {
  expressionProblem,
  isNoSchedule,
  type NoSchedule,
} from '../../settings/schedule-settings.ts';
import type { ExportScheduleOptions } from './export-schedule.ts';

/** When exports start automatically: `rate` or `cron`, alone or with options, or never. */
export type PlannedExports = ScheduleExpression | ExportScheduleOptions | NoSchedule;

type ByName<Value> = Readonly<Record<string, Value>>;

/** Schedules of single lists: those of one connection win over those of all. */
export interface ListSchedules {
  /** By list, for all connections. @default - none */
  readonly defaults?: ByName<PlannedExports> | undefined;
  /** By connection, then by list. @default - none */
  readonly connections?: ByName<ByName<PlannedExports>> | undefined;
}

/**
 * Where the schedule of a list of a connection may stand. The first of these places that has one decides, as for any
 * member of a list: the list of the connection, the list of all connections, the connection, all connections.
 */
export interface SchedulePlaces {
  /**
   * The schedule of all connections without their own: `rate` or `cron`, alone or with options.
   *
   * @default - no schedule
   */
  readonly schedule?: PlannedExports | undefined;
  /** By connection, like `schedule`; `{ enabled: false }` leaves one out. @default - `schedule` */
  readonly schedules?: ByName<PlannedExports> | undefined;
  /** Schedules of single lists. @default - every list has that of its connection */
  readonly listSchedules?: ListSchedules | undefined;
}

/** What starts the exports of one list. */
export interface PlannedList {
  readonly list: string;
  /** Declared connections that have it. */
  readonly connections: readonly string[];
  /** Whether connections that are not declared have it. */
  readonly isOfAll: boolean;
  /** Starts those of all connections that have the list, but for `except`. */
  readonly forAll: ExportScheduleOptions | undefined;
  /** Connections with a schedule of their own, or none. */
  readonly except: readonly string[];
  readonly own: readonly PlannedConnection[];
}

interface PlannedConnection {
  readonly connection: string;
  readonly options: ExportScheduleOptions;
}

/**
 * Settles which schedule starts which list of which connection.
 *
 * @throws SettingError naming what is wrong with a schedule.
 */
export function plannedLists(
  table: ConnectionTable,
  places: SchedulePlaces,
): readonly PlannedList[] {
  const listsOf = (connection?: string) => connectionSettingsOf(table, connection).lists;
  const declared = Object.keys(table.connections).map((name) => [name, listsOf(name)] as const);
  const ofUndeclared = listsOf();
  const planned = listsOfAll(table).map((list) => {
    const having = declared.filter(([, lists]) => lists.has(list));
    const connections = having.map(([name]) => name);
    const isOfAll = ofUndeclared.has(list);
    return { list, connections, isOfAll, ...plannedList(list, connections, places) };
  });
  checkNames(table, planned, places);
  return planned;
}

function plannedList(
  list: string,
  having: readonly string[],
  { schedule, schedules = {}, listSchedules = {} }: SchedulePlaces,
): Pick<PlannedList, 'forAll' | 'except' | 'own'> {
  const { defaults = {}, connections = {} } = listSchedules;
  const ofList = named(defaults, list);
  const ownOf = (connection: string): Place | undefined => {
    const own = named(named(connections, connection) ?? {}, list);
    const place = `listSchedules.connections.${connection}.${list}`;
    if (own !== undefined) return { given: own, place };
    const given = ofList === undefined ? named(schedules, connection) : undefined;
    return given && { given, place: `schedules.${connection}` };
  };
  const own = having.flatMap((connection) => {
    const found = ownOf(connection);
    return found === undefined ? [] : [{ connection, options: optionsOf(found) }];
  });
  const forAll = ofList
    ? { given: ofList, place: `listSchedules.defaults.${list}` }
    : { given: schedule, place: 'schedule' };
  return {
    forAll: optionsOf(forAll),
    except: own.map(({ connection }) => connection),
    own: own.flatMap(({ connection, options }) =>
      options === undefined ? [] : [{ connection, options }],
    ),
  };
}

/** The exports that run by a schedule, so that each list should have a recent one. */
export function measuredExports(
  planned: readonly PlannedList[],
  declared: readonly string[],
): readonly MeasuredExports[] {
  const measured = planned.flatMap(({ list, connections, isOfAll, forAll, except, own }) => {
    const others = declared.filter((name) => !connections.includes(name));
    const ofAll = {
      lists: [list],
      all: isOfAll,
      names: connections.filter((connection) => !except.includes(connection)),
      except: isOfAll ? [...except, ...others] : [],
      own: false,
    };
    const ofOne = { lists: [list], all: false, except: [], own: true };
    return [
      ...measuredBy(forAll, ofAll),
      ...own.flatMap(({ connection, options }) =>
        measuredBy(options, { ...ofOne, names: [connection] }),
      ),
    ];
  });
  const wanted = measured.filter(({ all, names }) => all || names.length > 0);
  // Most lists have the schedule of their connection, and an environment variable has little room.
  return mergedBy('lists', mergedBy('names', wanted));
}

function measuredBy(
  options: ExportScheduleOptions | undefined,
  exports: MeasuredExports,
): readonly MeasuredExports[] {
  if (options === undefined || options.enabled === false) return [];
  const { start, end } = options;
  return [{ ...exports, ...defined({ startMs: start?.getTime(), endMs: end?.getTime() }) }];
}

/** One for those that differ in this member alone. */
function mergedBy(
  member: 'lists' | 'names',
  exports: readonly MeasuredExports[],
): readonly MeasuredExports[] {
  const alike = groupBy(exports, (each) => JSON.stringify({ ...each, [member]: [] }));
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined
      ? []
      : [{ ...first, [member]: group.flatMap((each) => each[member]) }];
  });
}

function checkNames(
  table: ConnectionTable,
  planned: readonly PlannedList[],
  { schedules = {}, listSchedules = {} }: SchedulePlaces,
): void {
  const { defaults = {}, connections = {} } = listSchedules;
  const declared = Object.keys(table.connections);
  requireKnown('schedules', schedules, declared, 'connection');
  const known = planned.map(({ list }) => list);
  requireKnown('listSchedules.defaults', defaults, known, 'list');
  requireKnown('listSchedules.connections', connections, declared, 'connection');
  for (const [connection, lists] of Object.entries(connections)) {
    const having = planned.filter((each) => each.connections.includes(connection));
    const own = having.map(({ list }) => list);
    requireKnown(`listSchedules.connections.${connection}`, lists, own, 'list');
  }
}

function requireKnown(
  place: string,
  given: object,
  known: readonly string[],
  what: 'connection' | 'list',
): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new SettingError(`${place}.${unknown}`, `there is no such ${what}`);
}

/** Also of a list called `constructor`. */
function named<Value>(values: ByName<Value>, name: string): Value | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** A schedule, and where it was given. */
interface Place {
  readonly given: PlannedExports | undefined;
  readonly place: string;
}

function optionsOf({ given, place }: Place): ExportScheduleOptions | undefined {
  if (given === undefined || isNoSchedule(given)) return undefined;
  const options = 'schedule' in given ? given : { schedule: given };
  const problem = expressionProblem(options.schedule.expressionString);
  if (problem !== undefined) throw new SettingError(place, problem);
  return options;
}
