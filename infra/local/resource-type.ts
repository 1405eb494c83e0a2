import * as v from 'valibot';
import type { Engines } from './engines.ts';
import type { HttpApis } from './http/http-api.ts';
import type { MappingDefinition } from './lambda/event-source-mapping.ts';
import type { Occurrence } from './services/scheduler/schedules.ts';
import { parseBorder } from './template/parse-border.ts';
import type { ResourcePlace } from './template/place.ts';

/** A property that changes nothing here; every other one that a schema does not name is refused. */
export const inert = v.optional(v.unknown());
export const integer = v.pipe(v.number(), v.integer());

/** What a resource is called: the result of `Ref` and `Fn::GetAtt`. */
export interface ResourceIdentity {
  readonly type: string;
  /** The physical name. */
  readonly name: string;
  /** `undefined` for types without one. */
  readonly arn: string | undefined;
  /** What `Ref` gives. */
  readonly ref: string;
  /** What `Fn::GetAtt` gives. */
  readonly attributes: Readonly<Record<string, string>>;
}

export interface Making {
  readonly engines: Engines;
  readonly httpApis: HttpApis;
  /** Object key in the asset bucket (`Code.S3Key`) to the directory with the function's files. */
  readonly assetDirectories: Pick<ReadonlyMap<string, string>, 'get'>;
  /** A directory of this run alone. */
  readonly workDirectory: string;
  /** When the stack was started, Unix time in milliseconds. */
  readonly startedMs: number;
  /** Of each queue by its name, in seconds. */
  readonly visibilitySeconds: Map<string, number>;
  /** Mappings that feed functions once every resource is there. */
  readonly mappings: MappingDefinition[];
  /** What happens at certain times once every resource is there. */
  readonly occurrences: Occurrence[];
}

interface Resource<Properties> extends ResourceIdentity {
  readonly logicalId: string;
  /** The logical id and the type, to be named in errors. */
  readonly place: string;
  readonly arn: string;
  readonly properties: Properties;
}

/** The names that AWS would give (CloudFormation user guide, "Return values" of each type). */
interface Naming {
  /** The property that holds its name, when the template gives one. @default none */
  readonly nameProperty?: string;
  /** @default 64 */
  readonly maxNameLength?: number;
  /**
   * @param property Reads a property by its name.
   * @default `Ref` gives the name, and there is no ARN. An ARN alone is the attribute `Arn`.
   */
  identity?(
    name: string,
    place: ResourcePlace,
    property: (name: string) => unknown,
  ): Partial<Omit<ResourceIdentity, 'type'>>;
}

interface Removable {
  /**
   * Takes the resource out of the engines. @default - nothing: what it was made into ends with the stack
   *
   * @throws SettingError naming what cannot be deleted.
   */
  remove?(
    resource: { readonly name: string; readonly arn: string },
    engines: Engines,
  ): Promise<void> | void;
}

interface Declared<Schema extends v.GenericSchema> extends Naming, Removable {
  readonly type: string;
  /** Of the properties. What it does not name is refused. */
  readonly schema: Schema;
  /** What the resource becomes in the engines. @throws SettingError naming what cannot be run. */
  make(resource: Resource<v.InferOutput<Schema>>, making: Making): Promise<void> | void;
}

/** A resource type that is part of the deployed stack and needs nothing on this machine. */
export interface InertType extends Naming {
  readonly type: string;
  /** Why leaving it out changes nothing that a run can see. */
  readonly reason: string;
}

export interface ResourceType extends Naming, Removable {
  readonly type: string;
  /** `undefined` for a type of which nothing is made. */
  make?(
    logicalId: string,
    identity: ResourceIdentity,
    properties: unknown,
    making: Making,
  ): Promise<void> | void;
}

export function resourceType<const Schema extends v.GenericSchema>(
  declared: Declared<Schema>,
): ResourceType {
  const { schema, make, ...rest } = declared;
  return {
    ...rest,
    make(logicalId, identity, properties, making) {
      const place = `${logicalId} (${rest.type})`;
      const parsed = parseBorder(schema, properties, place);
      const { arn = '' } = identity;
      return make({ ...identity, arn, logicalId, place, properties: parsed }, making);
    },
  };
}
