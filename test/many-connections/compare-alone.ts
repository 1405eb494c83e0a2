import { type Course, Fleet, type FleetConnection } from './fleet.ts';

/** How a connection fared among others and alone, in milliseconds. */
export interface Comparison {
  readonly name: string;
  readonly aloneMs: number;
  readonly amongOthersMs: number;
  /** For a free worker. */
  readonly slotWaitMs: number;
  /** What neither the connection itself nor the bound explains. */
  readonly unexplainedMs: number;
}

/** Runs each connection again, with nothing else there. */
export async function compareAlone(
  connections: readonly FleetConnection[],
  courses: ReadonlyMap<string, Course>,
): Promise<readonly Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const connection of connections) {
    const { name } = connection;
    const fleet = new Fleet({ connections: [connection], maxConcurrentExports: 2 });
    await fleet.run();
    const aloneMs = fleet.courses.get(name)?.durationMs ?? Number.NaN;
    const { durationMs: amongOthersMs, slotWaitMs } = courses.get(name) ?? {
      durationMs: Number.NaN,
      slotWaitMs: 0,
    };
    const unexplainedMs = amongOthersMs - aloneMs - slotWaitMs;
    comparisons.push({ name, aloneMs, amongOthersMs, slotWaitMs, unexplainedMs });
  }
  return comparisons;
}
