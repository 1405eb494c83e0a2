import { defined } from '../../../lib/defined.ts';
import { compareByStart } from '../../../lib/exports/export-history.ts';
import type { ExportLine } from '../../../lib/exports/export-line.ts';
import type { ExportState, HistoryPlace } from '../../../lib/exports/export-state.ts';
import { sweepAtMs } from '../../../lib/exports/export-steps.ts';
import type { PartRecord } from '../../../lib/exports/part-record.ts';
import type { ExportName, HistoryQuery } from '../../../lib/exports/ports.ts';
import {
  isUncompared,
  type Organization,
  type StoredVersion,
} from '../../../lib/gate/organization.ts';
import type { OrganizationSample } from '../../../lib/gate/organization-sample.ts';
import type { Gate, GateOpening } from '../../../lib/gate/ports.ts';
import type { GatePace } from '../../../lib/pace/gate-pace.ts';
import { changedPlaces, type PlaceChange } from '../../../lib/pace/places.ts';
import type { Swapped } from '../../../lib/steps/step-kind.ts';
import type { Listing } from '../../../lib/steps/unreadable-item.ts';

/** The ledger's table in memory; each method is one atomic effect. Values are copied as JSON. */
export class MemoryLedger {
  readonly exports = new Map<string, ExportState>();
  readonly parts = new Map<string, PartRecord>();
  /** By connection; none of them is empty. */
  readonly lines = new Map<string, ExportLine>();

  readExport(connection: string, exportId: string): ExportState | undefined {
    return structuredClone(this.exports.get(`${connection}/${exportId}`));
  }

  writeExport(next: ExportState, expectedToken: string | undefined): Swapped<ExportState> {
    const name = `${next.connection}/${next.exportId}`;
    const current = this.exports.get(name);
    if (current?.writeToken !== expectedToken && current?.writeToken !== next.writeToken) {
      return { kind: 'conflict', current: structuredClone(current) };
    }
    this.exports.set(name, structuredClone(next));
    return { kind: 'written' };
  }

  listExports(connection: string, { limit, after, list }: HistoryQuery): Listing<HistoryPlace> {
    const items = [...this.exports.values()]
      .filter((each) => each.connection === connection)
      .filter((each) => list === undefined || each.list === list)
      .filter((each) => after === undefined || compareByStart(after, each) < 0)
      .sort(compareByStart)
      .slice(0, limit)
      .map(({ startedAtMs, exportId }) => ({ startedAtMs, exportId }));
    return { items, unreadable: [] };
  }

  listUntold(untilMs: number): readonly ExportName[] {
    return [...this.exports.values()]
      .filter((each) => (sweepAtMs(each) ?? Infinity) <= untilMs)
      .map(({ connection, exportId }) => ({ connection, exportId }));
  }

  putPart(record: PartRecord): void {
    const { connection, exportId, number, token } = record;
    this.parts.set(`${connection}/${exportId}/${number}/${token}`, structuredClone(record));
  }

  listParts(connection: string, exportId: string): readonly PartRecord[] {
    return [...this.parts.values()].filter(
      (each) => each.connection === connection && each.exportId === exportId,
    );
  }

  readLine(connection: string): ExportLine | undefined {
    return structuredClone(this.lines.get(connection));
  }

  writeLine(next: ExportLine, expectedToken: string | undefined): Swapped<ExportLine> {
    const current = this.lines.get(next.connection);
    if (current?.writeToken !== expectedToken && current?.writeToken !== next.writeToken) {
      return { kind: 'conflict', current: structuredClone(current) };
    }
    if (next.entries.length > 0) this.lines.set(next.connection, structuredClone(next));
    else this.lines.delete(next.connection);
    return { kind: 'written' };
  }

  listLines(): Listing<ExportLine> {
    return { items: [...this.lines.values()].map((line) => structuredClone(line)), unreadable: [] };
  }
}

export class MemoryGates {
  readonly gates = new Map<string, Gate>();

  read(connection: string): Gate {
    return this.gates.get(connection) ?? { blockedUntilMs: 0, haltedKeyVersions: [] };
  }

  blockUntil(connection: string, blockedUntilMs: number, waitAsSent?: string): boolean {
    const { waitAsSent: _, ...gate } = this.read(connection);
    if (blockedUntilMs <= gate.blockedUntilMs) return false;
    this.gates.set(connection, { ...gate, blockedUntilMs, ...defined({ waitAsSent }) });
    return true;
  }

  open(connection: string, openingOf: (gate: Gate) => GateOpening | undefined): Gate {
    const gate = this.read(connection);
    const opening = openingOf(gate);
    if (opening === undefined) return gate;
    const { waitAsSent: _wait, pace: _pace, places: _places, ...rest } = gate;
    const after = { ...rest, blockedUntilMs: 0, opening };
    this.gates.set(connection, after);
    return after;
  }

  stopExport(connection: string, exportId: string): void {
    this.gates.set(connection, { ...this.read(connection), stoppedExportId: exportId });
  }

  storePace(connection: string, organizationId: string, pace: GatePace): void {
    const gate = this.read(connection);
    if (gate.organization?.id !== organizationId) return;
    this.gates.set(connection, { ...gate, pace: structuredClone(pace) });
  }

  changePlaces(connection: string, change: PlaceChange): Gate | undefined {
    const gate = this.read(connection);
    const places = changedPlaces(gate.places, change);
    if (places === undefined) return undefined;
    const after = { ...gate, places };
    this.gates.set(connection, after);
    return after;
  }

  storeSample(connection: string, organizationId: string, sample: OrganizationSample): void {
    const gate = this.read(connection);
    if (gate.organization?.id !== organizationId) return;
    this.gates.set(connection, { ...gate, sample: structuredClone(sample) });
  }

  replaceOrganization(
    connection: string,
    next: Organization,
    seen: Organization | undefined,
  ): boolean {
    const { pace, sample, ...gate } = this.read(connection);
    if (gate.organization?.writeToken !== seen?.writeToken) return false;
    if (isUncompared(next, seen) && sample !== undefined) return false;
    const learned = next.id === seen?.id ? defined({ pace, sample }) : {};
    this.gates.set(connection, { ...gate, ...learned, organization: structuredClone(next) });
    return true;
  }

  haltKeyVersion(connection: string, { keyVersion }: StoredVersion): void {
    const gate = this.read(connection);
    const haltedKeyVersions = [...new Set([...gate.haltedKeyVersions, keyVersion])];
    this.gates.set(connection, { ...gate, haltedKeyVersions });
  }
}

type Asynchronous<T> = {
  [Name in keyof T]: T[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Result>
    : never;
};

type Call = <T>(name: string, effect: () => T) => Promise<T>;

const atOnce: Call = async (_name, effect) => effect();

/** The methods of an object in memory as those of a port. @param call Makes each call. @default at once */
export function asynchronous<T extends object>(memory: T, call?: Call): Asynchronous<T>;
export function asynchronous(memory: object, call = atOnce): object {
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(memory)).map((name) => {
    const effect = (args: readonly unknown[]) => () => {
      const method: unknown = Reflect.get(memory, name);
      return typeof method === 'function' ? Reflect.apply(method, memory, args) : undefined;
    };
    return [name, (...args: readonly unknown[]) => call(name, effect(args))] as const;
  });
  return Object.fromEntries(methods);
}
