import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';

const TemplateSchema = v.looseObject({
  Resources: v.record(
    v.string(),
    v.looseObject({
      Type: v.string(),
      Properties: v.optional(v.looseObject({}), {}),
    }),
  ),
});
const PolicySchema = v.looseObject({
  PolicyDocument: v.looseObject({ Statement: v.array(v.looseObject({ Effect: v.string() })) }),
});

/** Where a grant is written: a policy's statement, from 1, or a whole permission. */
export interface Removal {
  readonly logicalId: string;
  readonly statement: number;
}

/** Reads the place that a grant names. */
export function removalOf(place: string): Removal {
  const [, logicalId = '', statement = ''] = /^(\w+), statement (\d+)/.exec(place) ?? [];
  return { logicalId, statement: Number(statement) };
}

/** Places of every statement that allows something, in the policies and permissions of an assembly. */
export function allowingPlaces(assembly: string): readonly string[] {
  const { template } = templateIn(assembly);
  return Object.entries(template.Resources).flatMap(([id, { Type, Properties }]) => {
    if (Type === 'AWS::Lambda::Permission') return [`${id}, statement 1`];
    if (Type !== 'AWS::IAM::Policy') return [];
    const { Statement } = v.parse(PolicySchema, Properties).PolicyDocument;
    return Statement.flatMap(({ Effect }, index) =>
      Effect === 'Allow' ? [`${id}, statement ${index + 1}`] : [],
    );
  });
}

/** Copies an assembly without one statement, or without one permission. */
export function copyWithout(
  assembly: string,
  { logicalId, statement }: Removal,
  directory: string,
): void {
  cpSync(assembly, directory, { recursive: true });
  const { path, template } = templateIn(directory);
  const resource = template.Resources[logicalId];
  if (resource === undefined) throw new Error(`no ${logicalId}`);
  if (resource.Type === 'AWS::Lambda::Permission') delete template.Resources[logicalId];
  else {
    const policy = v.parse(PolicySchema, resource.Properties);
    policy.PolicyDocument.Statement.splice(statement - 1, 1);
    resource.Properties = policy;
  }
  writeFileSync(path, JSON.stringify(template));
}

function templateIn(directory: string) {
  const file = readdirSync(directory).find((name) => name.endsWith('.template.json')) ?? '';
  const path = join(directory, file);
  return { path, template: v.parse(TemplateSchema, JSON.parse(readFileSync(path, 'utf8'))) };
}
