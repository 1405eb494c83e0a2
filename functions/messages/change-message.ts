import * as v from 'valibot';
import type { DecisionRequest } from '../../lib/changes/decide-changes.ts';
import type { ChangePointer } from '../../lib/changes/ports.ts';
import { parseJson } from '../../lib/json/json-value.ts';
import { ConnectionNameSchema, ExportIdSchema, MAX_BY_LENGTH } from '../../lib/names.ts';
import { count } from '../../lib/stored.ts';
import type { ParsedBody } from './message.ts';
import { wrongPlaces } from './wrong-places.ts';

/** A message of the queue of changes: the wake-up for a step, or what a person decided. */
export type ChangeMessage =
  | { readonly kind: 'pointer'; readonly pointer: ChangePointer }
  | { readonly kind: 'decision'; readonly request: DecisionRequest };

const name = {
  v: v.literal(1),
  connection: ConnectionNameSchema,
  exportId: ExportIdSchema,
};

const PointerSchema = v.strictObject({
  ...name,
  step: count,
});

/** What a person decides about changes that wait. */
const DecisionSchema = v.picklist(['release', 'discard']);

const DecisionMessageSchema = v.strictObject({
  ...name,
  decision: DecisionSchema,
  /** Who decides; `decideChanges` would only fail with an empty one. */
  by: v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_BY_LENGTH)),
});

/** Parses the body of a queue message. The reason names the wrong members, but no value. */
export function parseChangeMessage(body: string): ParsedBody<ChangeMessage> {
  const given = parseJson(body);
  const isDecision = v.is(v.looseObject({ decision: v.unknown() }), given);
  if (isDecision) {
    const decision = v.safeParse(DecisionMessageSchema, given);
    if (!decision.success) return malformed(decision.issues, DECISION_EXPECTED);
    const { v: _version, ...request } = decision.output;
    return { kind: 'value', value: { kind: 'decision', request } };
  }
  const pointer = v.safeParse(PointerSchema, given);
  if (!pointer.success) return malformed(pointer.issues, POINTER_EXPECTED);
  return { kind: 'value', value: { kind: 'pointer', pointer: pointer.output } };
}

const POINTER_EXPECTED = '{"v":1,"connection":…,"exportId":…,"step":…}';
const DECISION_EXPECTED =
  '{"v":1,"connection":…,"exportId":…,"decision":"release" or "discard","by":…}';

function malformed(issues: readonly v.BaseIssue<unknown>[], expected: string) {
  return {
    kind: 'malformed',
    reason: `Not a message about changes: ${wrongPlaces(issues, 'the message')} is missing, unknown or wrong. Expected ${expected}.`,
  } as const;
}
