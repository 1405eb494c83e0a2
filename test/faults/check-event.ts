import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ExportEvent } from '../../lib/exports/ports.ts';
import type { OrganizationEvent } from '../../lib/gate/ports.ts';

const ajv = new Ajv2020({ allErrors: true, strict: true });

/** The schema of an event of exports, compiled. */
export function eventSchema(name: string) {
  return schemaOf(`export-${name}`);
}

/** The schema of a file in `lib/events`, compiled. */
export function schemaOf(name: string) {
  const file = join(import.meta.dirname, `../../lib/events/${name}.schema.json`);
  const schema: Record<string, unknown> = JSON.parse(readFileSync(file, 'utf8'));
  return ajv.getSchema(String(schema['$id'])) ?? ajv.compile(schema);
}

/** The members that a schema documents. */
export function documentedMembers(name: string): readonly string[] {
  return membersOf(eventSchema(name));
}

/** The same for an event of writes. */
export function documentedWriteMembers(kind: string): readonly string[] {
  return membersOf(schemaOf(`write-${kind}`));
}

/** The same for a change of the organization. */
export function documentedOrganizationMembers(): readonly string[] {
  return membersOf(schemaOf('organization-changed'));
}

function membersOf({ schema }: ReturnType<typeof schemaOf>): readonly string[] {
  return Object.keys(Object(Object(schema).properties));
}

/** A published event is what its schema says, and has no member that the schema does not tell of. */
export function checkEvent(event: ExportEvent): void {
  checkDetail(event.kind, { v: 1, integration: 'Integration', ...event });
}

export function checkDetail(kind: string, detail: Readonly<Record<string, unknown>>): void {
  checkBySchema(`export-${kind}`, detail);
}

/** The same for the detail of an event of writes. */
export function checkWriteDetail(kind: string, detail: Readonly<Record<string, unknown>>): void {
  checkBySchema(`write-${kind}`, detail);
}

function checkBySchema(name: string, detail: Readonly<Record<string, unknown>>): void {
  const isValid = schemaOf(name);
  isValid(detail);
  expect(isValid.errors ?? []).toEqual([]);
  expect(membersOf(isValid)).toEqual(expect.arrayContaining(Object.keys(detail)));
}

/** The same for a change of the organization. */
export function checkOrganizationEvent(event: OrganizationEvent): void {
  checkBySchema('organization-changed', { v: 1, integration: 'test', ...event });
}
