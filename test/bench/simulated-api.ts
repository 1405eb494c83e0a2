import { type SimulatorProcess, startSimulatorProcess } from './simulator-process.ts';

export interface ApiOptions {
  readonly customers: number;
  readonly perPage: number;
  /** Time before every answer. @default 0 */
  readonly latencyMs?: number;
  /** Processor that it runs on. @default any */
  readonly processor?: number;
}

/** A simulated API without a limit. */
export function startApi(options: ApiOptions): Promise<SimulatorProcess> {
  const { customers, perPage, latencyMs = 0, processor } = options;
  const args = [
    '--rate=none',
    `--customers=${customers}`,
    `--max-per-page=${perPage}`,
    `--latency=${latencyMs}`,
  ];
  return startSimulatorProcess(args, processor);
}
