import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type ScheduleExpression, ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { SettingError } from '../../lib/index.ts';
import { ExportSchedule, type ExportScheduleOptions } from './export-schedule.ts';
import { SchedulerRole } from './scheduler-role.ts';

export interface ExportSchedulesProps {
  /** Names of all connections. */
  readonly connections: readonly string[];
  /** By connection. */
  readonly schedules: Readonly<Record<string, ScheduleExpression | ExportScheduleOptions>>;
  readonly startExport: IFunction;
  /** Takes starts that the scheduler could not hand over. */
  readonly undelivered: IQueue;
}

/**
 * Adds the schedules of an integration to it, all in one group.
 *
 * @returns The names of connections whose schedule runs.
 * @throws SettingError naming the schedule that is wrong.
 */
export function addExportSchedules(
  scope: Construct,
  { connections, schedules, startExport, undelivered }: ExportSchedulesProps,
): readonly string[] {
  const all = Object.entries(schedules).map(
    ([connection, given]) =>
      [connection, 'schedule' in given ? given : { schedule: given }] as const,
  );
  if (all.length === 0) return [];
  const group = new ScheduleGroup(scope, 'Schedules');
  const { role } = new SchedulerRole(scope, 'SchedulerRole', { group, startExport, undelivered });
  for (const [connection, options] of all) {
    if (!connections.includes(connection)) {
      throw new SettingError(`schedules.${connection}`, 'there is no such connection');
    }
    new ExportSchedule(scope, `Schedule-${connection}`, {
      connection,
      options,
      group,
      role,
      startExport,
      undelivered,
    });
  }
  return all
    .filter(([, options]) => !('enabled' in options) || options.enabled !== false)
    .map(([connection]) => connection);
}
