import type { RecordsReport } from './records-describer.ts';
import {
  commentOn,
  hasLongNumber,
  hasNumber,
  inheritedRemark,
  isInherited,
  remarksOnAll,
} from './shape-remarks.ts';
import type { MemberReport, ShapeReport } from './shape-report.ts';

/**
 * A schema of a record as valibot source, which accepts every record that the report was made of, as `JSON.parse`
 * gives it and as the client does: to be given to `client.customers({ schema })`. Objects may have further members: an API adds some without asking.
 *
 * @param typeName An identifier, such as `CustomersRecord`; the schema has `Schema` behind it.
 */
export function asValibot(report: RecordsReport, typeName: string): string {
  const remarks = remarksOnAll(report).map((line) => `// ${line}\n`);
  const schema = `${typeName}Schema`;
  return `import * as v from 'valibot';

${remarks.join('')}export const ${schema} = ${schemaOf(report.record, '')};

export type ${typeName} = v.InferOutput<typeof ${schema}>;
`;
}

function schemaOf(report: ShapeReport, indent: string): string {
  const { types } = report;
  const kinds = [
    (types.text || hasLongNumber(report)) && 'v.string()',
    hasNumber(report) && 'v.number()',
    types.boolean && 'v.boolean()',
    types.array && arrayOf(report, indent),
    types.object && objectOf(report, indent),
  ].filter((kind) => typeof kind === 'string');
  const [first, ...others] = kinds;
  if (first === undefined) return types.null === undefined ? 'v.unknown()' : 'v.null()';
  const schema = others.length === 0 ? first : `v.union([${kinds.join(', ')}])`;
  return types.null === undefined ? schema : `v.nullable(${schema})`;
}

function arrayOf({ elements }: ShapeReport, indent: string): string {
  return `v.array(${elements === undefined ? 'v.unknown()' : schemaOf(elements, indent)})`;
}

function objectOf({ members = [] }: ShapeReport, indent: string): string {
  if (members.length === 0) return 'v.looseObject({})';
  const entries = members.map((member) => entryOf(member, `${indent}  `));
  return `v.looseObject({\n${entries.join('')}${indent}})`;
}

function entryOf(member: MemberReport, indent: string): string {
  const name = JSON.stringify(member.name);
  if (isInherited(member.name)) return inheritedRemark(member.name, indent);
  const schema = schemaOf(member, indent);
  const entry = member.always ? schema : `v.exactOptional(${schema})`;
  return `${commentOn(member, indent)}${indent}${name}: ${entry},\n`;
}
