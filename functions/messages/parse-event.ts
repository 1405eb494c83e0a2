import * as v from 'valibot';
import { SettingError } from '../../lib/errors.ts';
import { wrongPlaces } from './wrong-places.ts';

/**
 * Reads the event that invoked a function.
 *
 * @param source What the function is to be behind, such as `a queue of SQS`.
 * @throws SettingError naming the member that such an event has otherwise.
 */
export function parseEvent<T>(
  schema: v.GenericSchema<unknown, T>,
  event: unknown,
  source: string,
): T {
  const parsed = v.safeParse(schema, event);
  if (parsed.success) return parsed.output;
  throw new SettingError(
    wrongPlaces([parsed.issues[0]], 'event'),
    `missing or wrong. Expected an event of ${source}: let that invoke the function.`,
  );
}
