import { type Engines, startEngines } from '../../../../infra/local/engines.ts';

/** The engines of a stack without functions, which tells nobody what it does. */
export function startSampleEngines(workDirectory: string): Promise<Engines> {
  return startEngines({
    place: { accountId: '111122223333', region: 'eu-west-1' },
    workDirectory,
    functionEnvironment: {},
    onLog: () => {},
    onDenied: () => {},
    onProcess: () => {},
  });
}
