import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ExportEvent } from '../../lib/exports/ports.ts';

const ajv = new Ajv2020({ allErrors: true, strict: true });

/** The schema of a file in `lib/events`, compiled. */
export function eventSchema(name: string) {
  const file = join(import.meta.dirname, `../../lib/events/export-${name}.schema.json`);
  const schema: Record<string, unknown> = JSON.parse(readFileSync(file, 'utf8'));
  return ajv.getSchema(String(schema['$id'])) ?? ajv.compile(schema);
}

/** The members that a schema documents. */
export function documentedMembers(name: string): readonly string[] {
  const { schema } = eventSchema(name);
  return Object.keys(Object(Object(schema).properties));
}

/** A published event is what its schema says, and has no member that the schema does not tell of. */
export function checkEvent(event: ExportEvent): void {
  checkDetail(event.kind, { v: 1, ...event });
}

export function checkDetail(kind: string, detail: Readonly<Record<string, unknown>>): void {
  const isValid = eventSchema(kind);
  isValid(detail);
  expect(isValid.errors ?? []).toEqual([]);
  expect(documentedMembers(kind)).toEqual(expect.arrayContaining(Object.keys(detail)));
}
