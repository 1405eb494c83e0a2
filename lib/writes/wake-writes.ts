import type { SweepPorts, WriteName } from './ports.ts';
import type { WriteSettings } from './write-settings.ts';

export interface SweptWrite extends WriteName {
  readonly result:
    | 'nothing'
    | 'close'
    | 'wake'
    | 'resume'
    | 'still-halted'
    | 'expire'
    | 'missing'
    | 'unknown-connection'
    | 'error';
  /** Name of the error that a port threw. */
  readonly problem?: string;
}

/**
 * Goes through the unfinished writes and sets going again what stands still: a lost message, a crash
 * between two writes, an event that did not get out, a halted connection with a new key.
 *
 * @param connection Only this one's, such as after a new key. @default - those of all connections
 */
export declare function wakeWrites(
  ports: SweepPorts,
  settingsOf: (connection: string) => WriteSettings | undefined,
  connection?: string,
): Promise<readonly SweptWrite[]>;
