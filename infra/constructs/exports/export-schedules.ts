import { RemovalPolicy } from 'aws-cdk-lib';
import {
  ContextAttribute,
  type ScheduleExpression,
  ScheduleGroup,
  ScheduleTargetInput,
} from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke, SqsSendMessage } from 'aws-cdk-lib/aws-scheduler-targets';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { FanOutMessage } from '../../../functions/messages/fan-out-message.ts';
import type { StartInput } from '../../../functions/messages/start-input.ts';
import { defined } from '../../../lib/defined.ts';
import { SettingError } from '../../../lib/errors.ts';
import {
  expressionProblem,
  isNoSchedule,
  type NoSchedule,
} from '../../settings/schedule-settings.ts';
import type { ExportResources } from '../foundation/export-resources.ts';
import type { LambdaFunction } from '../foundation/lambda-function.ts';
import { ExportSchedule, type ExportScheduleOptions, START_DELIVERY } from './export-schedule.ts';
import { SchedulerRole } from './scheduler-role.ts';
import { StartAllExports } from './start-all-exports.ts';
import type { StartExportFunction } from './start-export-function.ts';

/** When exports start automatically: `rate` or `cron`, alone or with options, or never. */
export type PlannedExports = ScheduleExpression | ExportScheduleOptions | NoSchedule;

export interface ExportSchedulesProps {
  readonly resources: ExportResources;
  readonly startExport: StartExportFunction;
  readonly undelivered: IQueue;
  /** For every connection without its own schedule. @default - none */
  readonly schedule?: PlannedExports | undefined;
  readonly schedules?: Readonly<Record<string, PlannedExports>> | undefined;
}

/** One schedule for all connections, and the schedules of single connections. */
export class ExportSchedules extends Construct {
  /** `undefined` when there is no schedule for all connections. */
  readonly startAll: LambdaFunction | undefined;
  /** Whether every connection with a secret is expected to have a recent complete export. */
  readonly isForAll: boolean;
  /** Connections that are expected to have one, even before they have a secret. */
  readonly scheduled: readonly string[];
  /** Connections that the schedule for all connections leaves out. */
  readonly except: readonly string[];

  /** @throws SettingError naming what is wrong with a schedule. */
  constructor(scope: Construct, id: string, props: ExportSchedulesProps) {
    super(scope, id);
    const { resources, schedule, schedules = {} } = props;
    const declared = Object.keys(resources.connectionTable.connections);
    for (const connection of Object.keys(schedules)) {
      if (declared.includes(connection)) continue;
      throw new SettingError(`schedules.${connection}`, 'there is no such connection');
    }
    const forAll = optionsOf(schedule, 'schedule');
    const own = Object.entries(schedules).flatMap(([connection, given]) => {
      const options = optionsOf(given, `schedules.${connection}`);
      return options === undefined ? [] : [{ connection, options }];
    });
    this.except = Object.keys(schedules);
    this.isForAll = forAll !== undefined && forAll.enabled !== false;
    this.scheduled = [
      ...own.filter(({ options }) => options.enabled !== false).map((each) => each.connection),
      ...(this.isForAll ? declared.filter((name) => !this.except.includes(name)) : []),
    ];
    const startAll =
      forAll === undefined ? undefined : new StartAllExports(this, 'StartAll', props);
    this.startAll = startAll?.function;
    if (forAll !== undefined || own.length > 0) {
      this.#plan(props, forAll, own, startAll?.queue);
    }
  }

  #plan(
    { startExport, undelivered }: ExportSchedulesProps,
    forAll: ExportScheduleOptions | undefined,
    own: readonly { readonly connection: string; readonly options: ExportScheduleOptions }[],
    fanOutQueue: IQueue | undefined,
  ): void {
    // Retained, as is the CDK's default, it would keep its name from the next deployment. It holds schedules alone.
    const group = new ScheduleGroup(this, 'Group', { removalPolicy: RemovalPolicy.DESTROY });
    const { role } = new SchedulerRole(this, 'Role', {
      group,
      functions: own.length > 0 ? [startExport] : [],
      queues: [undelivered, ...(fanOutQueue === undefined ? [] : [fanOutQueue])],
    });
    const delivery = { ...START_DELIVERY, role, deadLetterQueue: undelivered };
    for (const { connection, options } of own) {
      new ExportSchedule(this, `Schedule-${connection}`, {
        description: `Exports of ${connection}`,
        options,
        group,
        target: new LambdaInvoke(startExport, { ...delivery, input: startOf(connection) }),
      });
    }
    if (forAll === undefined || fanOutQueue === undefined) return;
    // The function spreads the starts over the window; the scheduler would delay all of them by the same time.
    const { flexibleWindow, ...options } = forAll;
    new ExportSchedule(this, 'ScheduleForAll', {
      description: 'Exports of all connections',
      options,
      group,
      target: new SqsSendMessage(fanOutQueue, {
        ...delivery,
        input: fanOutOf(flexibleWindow?.toMinutes(), this.except),
      }),
    });
  }
}

function optionsOf(
  given: PlannedExports | undefined,
  place: string,
): ExportScheduleOptions | undefined {
  if (given === undefined || isNoSchedule(given)) return undefined;
  const options = 'schedule' in given ? given : { schedule: given };
  const problem = expressionProblem(options.schedule.expressionString);
  if (problem !== undefined) throw new SettingError(place, problem);
  return options;
}

/** The planned time, not the time of delivery: a start that is delivered twice starts one export. */
const { scheduledTime } = ContextAttribute;

function startOf(connection: string): ScheduleTargetInput {
  const input: StartInput = { connection, trigger: { kind: 'schedule', scheduledTime } };
  return ScheduleTargetInput.fromObject(input);
}

function fanOutOf(windowMinutes: number | undefined, except: readonly string[]) {
  const input: FanOutMessage = {
    v: 1,
    scheduledTime,
    ...defined({ windowMinutes }),
    ...(except.length === 0 ? {} : { except: [...except] }),
  };
  return ScheduleTargetInput.fromObject(input);
}
