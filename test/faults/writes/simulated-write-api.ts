import type { Simulator } from '../../../infra/simulator/simulator.ts';
import { type CustomersClient, createCustomersClient } from '../../../lib/customers-api/client.ts';
import { isJsonObject, parseJson } from '../../../lib/json/json-value.ts';
import type { VirtualClock } from '../virtual-clock.ts';
import type { ApiRequest, SentWrite, WriteApi, WriteEffect } from './model-write-api.ts';

export interface SimulatedWriteApiOptions {
  readonly simulator: Simulator;
  readonly clock: VirtualClock;
  /** By version. */
  readonly keys: ReadonlyMap<string, string>;
  /** Writes by the record that they replace or remove. */
  readonly writeIdOfRecord: ReadonlyMap<string, string>;
}

/**
 * The simulator over its socket and by our client, while time stands still. What took effect is told by the
 * simulator's own log.
 */
export class SimulatedWriteApi implements WriteApi {
  readonly requests: ApiRequest[] = [];
  readonly records = new Map<string, string>();
  readonly revoked: Pick<Set<string>, 'add'>;
  readonly #options: SimulatedWriteApiOptions;
  readonly #clients = new Map<string, CustomersClient>();
  readonly #loggedBefore: number;
  #latest: Promise<unknown> = Promise.resolve();

  constructor(options: SimulatedWriteApiOptions) {
    this.#options = options;
    this.#loggedBefore = options.simulator.log.entries.length;
    const revoked = new Set<string>();
    this.revoked = {
      add: (keyVersion) => {
        options.simulator.setKeyStatus(this.#keyOf(keyVersion), 'revoked');
        return revoked.add(keyVersion);
      },
    };
  }

  get effects(): readonly WriteEffect[] {
    const { simulator, writeIdOfRecord } = this.#options;
    return simulator.log.entries
      .slice(this.#loggedBefore)
      .flatMap(({ effect, at }) => (effect === undefined ? [] : [{ ...effect, at }]))
      .sort((a, b) => a.id - b.id)
      .map(({ reference, recordId, at }) => ({
        writeId: reference ?? writeIdOfRecord.get(recordId) ?? '',
        atMs: at,
      }));
  }

  write(sent: SentWrite, keyVersion: string) {
    const { bodyText, resource, idempotencyKey } = sent;
    const body = parseJson(bodyText);
    const reference = isJsonObject(body) ? body['reference'] : undefined;
    const writeId = typeof reference === 'string' ? reference : this.#writeIdOf(resource);
    return this.#ask('write', writeId, keyVersion, (client) => client.write(sent), idempotencyKey);
  }

  read(resource: string, keyVersion: string) {
    return this.#ask('read', this.#writeIdOf(resource), keyVersion, (client) =>
      client.read({ resource }),
    );
  }

  list(reference: string, page: number, keyVersion: string) {
    return this.#ask('list', reference, keyVersion, (client) =>
      client.list('customers', { reference }).listPage(page),
    );
  }

  /** One at a time, so that the log tells which of them left: the client itself keeps a wait that it knows of. */
  #ask<Outcome extends { readonly kind: string }>(
    kind: ApiRequest['kind'],
    writeId: string,
    keyVersion: string,
    send: (client: CustomersClient) => Promise<Outcome>,
    idempotencyKey?: string,
  ): Promise<Outcome> {
    const { simulator, clock } = this.#options;
    const asked = this.#latest.then(async () => {
      const { length } = simulator.log.entries;
      const outcome = await send(this.#clientOf(keyVersion));
      if (simulator.log.entries.length === length) return outcome;
      this.requests.push({
        n: this.requests.length,
        atMs: clock.now(),
        kind,
        writeId,
        keyVersion,
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        outcome: outcome.kind,
      });
      return outcome;
    });
    this.#latest = asked.catch(() => undefined);
    return asked;
  }

  #clientOf(keyVersion: string): CustomersClient {
    const { simulator, clock } = this.#options;
    const client =
      this.#clients.get(keyVersion) ??
      createCustomersClient({
        baseUrl: simulator.url,
        key: this.#keyOf(keyVersion),
        now: () => clock.now(),
      });
    this.#clients.set(keyVersion, client);
    return client;
  }

  #keyOf(keyVersion: string): string {
    return this.#options.keys.get(keyVersion) ?? '';
  }

  #writeIdOf(resource: string): string {
    return this.#options.writeIdOfRecord.get(resource.split('/')[1] ?? '') ?? '';
  }
}
