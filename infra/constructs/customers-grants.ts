import { type Grant, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as OwnFunction } from 'aws-cdk-lib/aws-lambda';
import * as v from 'valibot';
import { EXPORT_REQUESTED } from '../../functions/messages/export-requested.ts';
import { parseSetting } from '../../lib/customers-api/parse-options.ts';
import { SettingError } from '../../lib/errors.ts';
import { ConnectionNameSchema } from '../../lib/names.ts';
import type { ExportTables } from './exports/export-tables.ts';
import type { StartExportFunction } from './exports/start-export-function.ts';
import type { ExportResources } from './foundation/export-resources.ts';
import type { ExportStore } from './foundation/export-store.ts';
import { grantClient, grantStatements } from './foundation/grant-statements.ts';
import type { HttpApi, HttpGrant } from './http-api.ts';
import { CustomersMetrics } from './operations/customers-metrics.ts';

/** Connections, or all of them. */
type Named = readonly string[] | undefined;

const NAMES_EXPECTED =
  'expected a list of one or more names of connections, or nothing for all of them';

const NamesSchema = v.pipe(
  v.array(ConnectionNameSchema, NAMES_EXPECTED),
  v.nonEmpty(NAMES_EXPECTED),
);

/** What may be granted to others: each grant is as narrow as its name says. */
export abstract class CustomersGrants extends CustomersMetrics {
  abstract readonly store: ExportStore;
  abstract readonly startExport: StartExportFunction;
  /** `undefined` when `tables` is `false`. */
  abstract readonly tables: ExportTables | undefined;
  /** `undefined` when `httpApi` is `false`. */
  abstract readonly httpApi: HttpApi | undefined;
  protected abstract readonly resources: ExportResources;

  /**
   * Lets your own function use the middleware `customersClient` of `customers-functions/lambda`.
   *
   * @param own A function for this integration alone, with Node.js 20 or newer.
   * @param connections The function may use only these. @default - all
   */
  grantClient(own: OwnFunction, connections?: readonly string[]): void {
    grantClient(this, own, this.resources, this.#inGroups(connections));
  }

  /**
   * Grants reading of exports: parts, manifests and `latest.json`.
   *
   * @param connections Only of these. @default - of all
   */
  grantRead(grantee: IGrantable, connections?: readonly string[]): Grant {
    const statements = this.#inGroups(connections).flatMap((each) => this.store.allowRead(each));
    return grantStatements(this, grantee, statements);
  }

  /**
   * Grants what a query by Athena reads: the tables, and the exports behind them. The query needs Athena's own actions
   * on a workgroup too, and a place for its results.
   *
   * @param connections Only records of these. @default - of all
   * @throws SettingError when there are no tables.
   */
  grantQuery(grantee: IGrantable, connections?: readonly string[]): Grant {
    if (this.tables === undefined) throw new SettingError('tables', 'it is false: there are none');
    return grantStatements(this, grantee, [
      ...this.tables.allowRead(),
      ...this.#inGroups(connections).flatMap((each) => this.store.allowQuery(each)),
    ]);
  }

  /** Grants starting exports of any connection, by invoking the start function. */
  grantStart(grantee: IGrantable): Grant {
    return grantStatements(this, grantee, [
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: [this.startExport.functionArn],
      }),
    ]);
  }

  /** Grants requesting exports of any connection by an event, and no other event. */
  grantRequest(grantee: IGrantable): Grant {
    const { eventBus } = this.resources;
    return grantStatements(this, grantee, [
      new PolicyStatement({
        actions: ['events:PutEvents'],
        resources: [eventBus.eventBusArn],
        conditions: {
          StringEquals: {
            'events:source': EXPORT_REQUESTED.source,
            'events:detail-type': EXPORT_REQUESTED.detailType,
          },
        },
      }),
    ]);
  }

  /**
   * Grants calling the HTTP API, if IAM authorizes it: all routes but those of {@link grantListFiles},
   * {@link grantListChanges}, {@link grantDecideChanges}, {@link grantCancelExport} and {@link grantOpenGate}.
   *
   * @param connections Only paths with these. @default - all
   * @throws SettingError when there is no HTTP API.
   */
  grantHttpApi(grantee: IGrantable, connections?: readonly string[]): Grant {
    return this.#grantHttp(grantee, 'call', connections);
  }

  /**
   * Grants getting URLs of the files of exports (`GET /connections/{connection}/exports/{exportId}/files`), and so
   * downloading them, if IAM authorizes the HTTP API.
   *
   * @param connections Only of these. @default - of all
   * @throws SettingError when there is no HTTP API.
   */
  grantListFiles(grantee: IGrantable, connections?: readonly string[]): Grant {
    return this.#grantHttp(grantee, 'listFiles', connections);
  }

  /**
   * Grants reading what exports changed, with the records (`GET /connections/{connection}/exports/{exportId}/changes`),
   * if IAM authorizes the HTTP API.
   *
   * @param connections Only of these. @default - of all
   * @throws SettingError when there is no HTTP API.
   */
  grantListChanges(grantee: IGrantable, connections?: readonly string[]): Grant {
    return this.#grantHttp(grantee, 'listChanges', connections);
  }

  /**
   * Grants deciding about changes that are held (`POST /connections/{connection}/exports/{exportId}/changes/decision`),
   * if IAM authorizes the HTTP API.
   *
   * @param connections Only of these. @default - of all
   * @throws SettingError when there is no HTTP API.
   */
  grantDecideChanges(grantee: IGrantable, connections?: readonly string[]): Grant {
    return this.#grantHttp(grantee, 'decideChanges', connections);
  }

  /**
   * Grants ending exports (`POST /connections/{connection}/exports/{exportId}/cancel`), if IAM authorizes the HTTP API.
   *
   * @param connections Only of these. @default - of all
   * @throws SettingError when there is no HTTP API.
   */
  grantCancelExport(grantee: IGrantable, connections?: readonly string[]): Grant {
    return this.#grantHttp(grantee, 'cancelExport', connections);
  }

  /**
   * Grants ending a wait that the API asked for (`POST /connections/{connection}/gate/opening`), if IAM authorizes
   * the HTTP API.
   *
   * @param connections Only of these. @default - all
   * @throws SettingError when there is no HTTP API.
   */
  grantOpenGate(grantee: IGrantable, connections?: readonly string[]): Grant {
    return this.#grantHttp(grantee, 'openGate', connections);
  }

  #grantHttp(grantee: IGrantable, what: HttpGrant, connections: Named): Grant {
    const { httpApi } = this;
    if (httpApi === undefined) throw new SettingError('httpApi', 'it is false: there is none');
    const statements = this.#inGroups(connections, 1).map((each) => httpApi.allow(what, each));
    return grantStatements(this, grantee, statements);
  }

  /**
   * A statement for all of them could be larger than a policy may be; several can be shared out among the policies of a
   * role, as the CDK does.
   *
   * @returns `undefined` alone for all connections.
   */
  #inGroups(connections: Named, size = 10): readonly Named[] {
    if (connections === undefined) return [undefined];
    const names = parseSetting(NamesSchema, connections, 'connections');
    return Array.from({ length: Math.ceil(names.length / size) }, (_, index) =>
      names.slice(index * size, (index + 1) * size),
    );
  }
}
