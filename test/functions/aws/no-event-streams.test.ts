import { expect, test } from '@jest/globals';
import {
  EventStreamSerde,
  eventStreamSerdeProvider,
  resolveEventStreamSerdeConfig,
} from '../../../functions/aws/no-event-streams.ts';

test('a client is made as it is without streams of events, and a call that has one says that they are left out', () => {
  const settings = { region: 'us-east-1', eventStreamSerdeProvider };

  expect(resolveEventStreamSerdeConfig(settings)).toBe(settings);
  expect(eventStreamSerdeProvider()).toBeUndefined();
  expect(() => new EventStreamSerde()).toThrow('which the bundles of the functions leave out');
});
