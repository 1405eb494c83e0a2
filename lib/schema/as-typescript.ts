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
 * The type of a record, as `JSON.parse` gives it and as the client does: TypeScript source that compiles in strict mode.
 *
 * @param typeName An identifier, such as `CustomersRecord`.
 */
export function asTypeScript(report: RecordsReport, typeName: string): string {
  const remarks = remarksOnAll(report).map((line) => `// ${line}\n`);
  return `${remarks.join('')}export type ${typeName} = ${typeOf(report.record, '')};\n`;
}

function typeOf(report: ShapeReport, indent: string): string {
  const { types } = report;
  const kinds = [
    (types.text || hasLongNumber(report)) && 'string',
    hasNumber(report) && 'number',
    types.boolean && 'boolean',
    types.array && arrayOf(report, indent),
    types.object && objectOf(report, indent),
    types.null && 'null',
  ].filter((kind) => typeof kind === 'string');
  return kinds.length === 0 ? 'unknown' : kinds.join(' | ');
}

function arrayOf({ elements }: ShapeReport, indent: string): string {
  return `ReadonlyArray<${elements === undefined ? 'unknown' : typeOf(elements, indent)}>`;
}

function objectOf({ members = [], unnamed }: ShapeReport, indent: string): string {
  const inner = `${indent}  `;
  const named = members.map((member) => memberOf(member, inner));
  const isTyped = members.length > 0 && !members.some(({ name }) => isInherited(name));
  const isOpen = !isTyped || unnamed !== undefined;
  const others = isOpen ? [`${inner}readonly [member: string]: unknown;\n`] : [];
  return `{\n${[...named, ...others].join('')}${indent}}`;
}

function memberOf(member: MemberReport, indent: string): string {
  if (isInherited(member.name)) return inheritedRemark(member.name, indent);
  const name = IDENTIFIER.test(member.name) ? member.name : JSON.stringify(member.name);
  const mark = member.always ? '' : '?';
  return `${commentOn(member, indent)}${indent}readonly ${name}${mark}: ${typeOf(member, indent)};\n`;
}

/** Names that need no quotes; all others get them. */
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
