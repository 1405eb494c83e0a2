import { RemovalPolicy } from 'aws-cdk-lib';
import {
  ContextAttribute,
  type IScheduleGroup,
  type IScheduleTarget,
  ScheduleGroup,
  ScheduleTargetInput,
} from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke, SqsSendMessage } from 'aws-cdk-lib/aws-scheduler-targets';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { FanOutMessage } from '../../../functions/messages/fan-out-message.ts';
import type { StartInput } from '../../../functions/messages/start-input.ts';
import type { MeasuredExports } from '../../../functions/services/environment.ts';
import { defined } from '../../../lib/defined.ts';
import { CUSTOMERS_LIST } from '../../../lib/exports/list-settings.ts';
import type { ExportResources } from '../foundation/export-resources.ts';
import { ExportSchedule, START_DELIVERY } from './export-schedule.ts';
import {
  measuredExports,
  type PlannedList,
  plannedLists,
  type SchedulePlaces,
} from './planned-starts.ts';
import { SchedulerRole } from './scheduler-role.ts';
import { StartAllExports } from './start-all-exports.ts';
import type { StartExportFunction } from './start-export-function.ts';

export interface ExportSchedulesProps {
  readonly places: SchedulePlaces;
  readonly resources: ExportResources;
  readonly startExport: StartExportFunction;
  readonly undelivered: IQueue;
}

/** For each list one schedule for all connections, and those of single connections. */
export class ExportSchedules extends Construct {
  /** `undefined` when there is no schedule for all connections. */
  readonly startAll: StartAllExports | undefined;
  /** The lists of connections that are expected to have a recent completed export. */
  readonly measured: readonly MeasuredExports[];

  /** @throws SettingError naming what is wrong with a schedule. */
  constructor(scope: Construct, id: string, props: ExportSchedulesProps) {
    super(scope, id);
    const { connectionTable } = props.resources;
    const planned = plannedLists(connectionTable, props.places);
    this.measured = measuredExports(planned, Object.keys(connectionTable.connections));
    const isForAll = planned.some(({ forAll }) => forAll !== undefined);
    this.startAll = isForAll ? new StartAllExports(this, 'StartAll', props) : undefined;
    if (isForAll || planned.some(({ own }) => own.length > 0)) {
      this.#plan(props, planned);
    }
  }

  #plan({ startExport, undelivered }: ExportSchedulesProps, planned: readonly PlannedList[]): void {
    const fanOutQueue = this.startAll?.queue;
    // Retained, as is the CDK's default, it would keep its name from the next deployment. It holds schedules alone.
    const group = new ScheduleGroup(this, 'Group', { removalPolicy: RemovalPolicy.DESTROY });
    const { role } = new SchedulerRole(this, 'Role', {
      group,
      functions: planned.some(({ own }) => own.length > 0) ? [startExport] : [],
      queues: [undelivered, ...(fanOutQueue === undefined ? [] : [fanOutQueue])],
    });
    const delivery = { ...START_DELIVERY, role, deadLetterQueue: undelivered };
    for (const each of planned) {
      this.#planConnections(
        each,
        group,
        (input) => new LambdaInvoke(startExport, { ...delivery, input }),
      );
      if (fanOutQueue === undefined) continue;
      this.#planAll(
        each,
        group,
        (input) => new SqsSendMessage(fanOutQueue, { ...delivery, input }),
      );
    }
  }

  #planConnections({ list, own }: PlannedList, group: IScheduleGroup, targetOf: TargetOf): void {
    for (const { connection, options } of own) {
      // No connection has a dot in its name.
      new ExportSchedule(this, `Schedule-${idOf(connection, list)}`, {
        description: `Exports of ${textOf(list)}${connection}`,
        options,
        group,
        target: targetOf(startOf(connection, list)),
      });
    }
  }

  #planAll({ list, forAll, except }: PlannedList, group: IScheduleGroup, targetOf: TargetOf): void {
    if (forAll === undefined) return;
    // The function spreads the starts over the window; the scheduler would delay all of them by the same time.
    const { flexibleWindow, ...options } = forAll;
    new ExportSchedule(this, idOf('ScheduleForAll', list), {
      description: `Exports of ${textOf(list)}all connections`,
      options,
      group,
      target: targetOf(fanOutOf(list, flexibleWindow?.toMinutes(), except)),
    });
  }
}

type TargetOf = (input: ScheduleTargetInput) => IScheduleTarget;

/** Another id would make the schedule of customers anew in stacks that are deployed. */
function idOf(id: string, list: string): string {
  return list === CUSTOMERS_LIST ? id : `${id}.${list}`;
}

function textOf(list: string): string {
  return list === CUSTOMERS_LIST ? '' : `${list} of `;
}

/** The planned time, not the time of delivery: a start that is delivered twice starts one export. */
const { scheduledTime } = ContextAttribute;

function startOf(connection: string, list: string): ScheduleTargetInput {
  const input: StartInput = { connection, list, trigger: { kind: 'schedule', scheduledTime } };
  return ScheduleTargetInput.fromObject(input);
}

function fanOutOf(list: string, windowMinutes: number | undefined, except: readonly string[]) {
  const input: FanOutMessage = {
    v: 1,
    scheduledTime,
    list,
    ...defined({ windowMinutes }),
    ...(except.length === 0 ? {} : { except: [...except] }),
  };
  return ScheduleTargetInput.fromObject(input);
}
