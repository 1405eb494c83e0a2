import { buildApp } from 'fauxqs';

/** The engine for Amazon SQS and Amazon S3, as far as it is used: to compare all of it takes the compiler seconds. */
export type Fauxqs = Pick<ReturnType<typeof buildApp>, 'close' | 'inject' | 'routing'>;

/** The engine has one region; callers see their own. */
export const FAUXQS_REGION = 'us-east-1';

/** Starts the engine inside this process. It opens no port. */
export async function startFauxqs(): Promise<Fauxqs> {
  const engine = buildApp({ logger: false, defaultRegion: FAUXQS_REGION });
  await engine.ready();
  return engine;
}
