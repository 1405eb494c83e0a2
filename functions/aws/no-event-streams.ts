/**
 * Bundled in the place of `@smithy/core/event-streams` (`infra/build/sdk-in-use.ts`): no call of the functions sends
 * or answers a stream of events, as S3 Select does.
 */
export class EventStreamSerde {
  constructor() {
    throw new Error(
      'A call of an AWS service has a stream of events, which the bundles of the functions leave out.',
    );
  }
}

/** What makes the streams of a client. */
export function eventStreamSerdeProvider(): undefined {
  return undefined;
}

/** The S3 client calls it with its settings. */
export function resolveEventStreamSerdeConfig<Settings>(settings: Settings): Settings {
  return settings;
}
