import type { Engines } from './engines.ts';
import { admitFunction, admitRule, admitSchedule, requireFeeding } from './iam/admission.ts';
import type { MappingDefinition } from './lambda/event-source-mapping.ts';
import { makeRule, makeSchedule } from './make-events.ts';
import { type FunctionFiles, makeFunction } from './make-function.ts';
import { mappingDefinition } from './make-mapping.ts';
import { makeBucket, makeQueue, makeSecret, makeTable } from './make-storage.ts';
import type { Occurrence } from './services/scheduler/schedules.ts';
import type { ResourceIdentity } from './template/made-resources.ts';
import { parseBorder } from './template/parse-border.ts';
import * as schemas from './template/resource-schemas.ts';
import type { StackScope } from './template/stack-scope.ts';

/** What begins to run once every resource is there. */
export interface Prepared {
  readonly mappings: readonly MappingDefinition[];
  readonly occurrences: readonly Occurrence[];
}

/** SQS's own default (API reference, SetQueueAttributes). */
const DEFAULT_VISIBILITY_SECONDS = 30;

/**
 * Makes every resource of a template, each after the ones it refers to.
 *
 * @throws SettingError naming the logical id, the type and what cannot be run.
 */
export async function makeResources(
  scope: StackScope,
  engines: Engines,
  files: FunctionFiles,
  nowMs: number,
): Promise<Prepared> {
  const mappings: MappingDefinition[] = [];
  const occurrences: Occurrence[] = [];
  const visibilitySeconds = new Map<string, number>();
  const { host, queues, buses, targets, meter } = engines;

  const makers: Readonly<Record<string, (id: string, identity: ResourceIdentity) => unknown>> = {
    'AWS::SQS::Queue': async (id, { name }) => {
      const properties = parse(schemas.queueSchema, id);
      visibilitySeconds.set(name, properties.VisibilityTimeout ?? DEFAULT_VISIBILITY_SECONDS);
      await makeQueue(name, properties, queues);
    },
    'AWS::S3::Bucket': async (id, { name }) => {
      parse(schemas.bucketSchema, id);
      await makeBucket(name, engines.queueEngine);
    },
    'AWS::DynamoDB::Table': makeAnyTable,
    'AWS::DynamoDB::GlobalTable': makeAnyTable,
    'AWS::SecretsManager::Secret': (id, { name }) =>
      makeSecret(name, parse(schemas.secretSchema, id), engines.secrets),
    'AWS::Lambda::Function': async (id, identity) => {
      const properties = parse(schemas.functionSchema, id);
      const definition = await makeFunction(id, identity, properties, files);
      admitFunction(engines.access, definition, properties);
      engines.admit(definition.accessKeyId, definition.name);
      host.add(definition);
    },
    'AWS::Lambda::EventSourceMapping': (id) => {
      const properties = parse(schemas.eventSourceMappingSchema, id);
      const visibility = (queue: string) =>
        visibilitySeconds.get(queue) ?? DEFAULT_VISIBILITY_SECONDS;
      const { region } = engines.place;
      const mapping = mappingDefinition(id, properties, region, queues, host, visibility);
      requireFeeding(engines.access, id, mapping);
      if (properties.Enabled) mappings.push(mapping);
    },
    'AWS::Events::EventBus': (id) => buses.addBus(parse(schemas.eventBusSchema, id).Name),
    'AWS::Events::Rule': (id, identity) => {
      const properties = parse(schemas.ruleSchema, id);
      admitRule(engines.access, id, identity.arn ?? '', properties.Targets);
      occurrences.push(...makeRule(id, identity, properties, buses, nowMs));
    },
    // A group is a name; its schedules carry it in their ARNs.
    'AWS::Scheduler::ScheduleGroup': (id) => parse(schemas.scheduleGroupSchema, id),
    'AWS::Scheduler::Schedule': (id, identity) => {
      const properties = parse(schemas.scheduleSchema, id);
      const { GroupName: group = 'default', Target } = properties;
      const schedule = { arn: identity.arn ?? '', group, roleArn: Target.RoleArn };
      admitSchedule(engines.access, id, schedule, engines.place);
      occurrences.push(...makeSchedule(id, identity, properties, targets, meter, nowMs));
    },
  };

  engines.access.load(scope);
  for (const id of scope.order) await makers[scope.typeOf(id)]?.(id, scope.identityOf(id));
  return { mappings, occurrences };

  function makeAnyTable(id: string, { name }: ResourceIdentity): Promise<void> {
    return makeTable(name, parse(schemas.tableSchema, id), engines.tables);
  }

  function parse<const Schema extends (typeof schemas)[keyof typeof schemas]>(
    schema: Schema,
    id: string,
  ) {
    return parseBorder(schema, scope.propertiesOf(id), `${id} (${scope.typeOf(id)})`);
  }
}
