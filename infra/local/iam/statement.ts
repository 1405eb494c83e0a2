import * as v from 'valibot';
import { SettingError } from '../../../lib/errors.ts';
import { recordOf } from '../../../lib/record-of.ts';
import { parseBorder } from '../template/parse-border.ts';
import type { Caller } from './request.ts';
import { arnWildcard, wildcard } from './wildcard.ts';

export interface Statement {
  /** Where it is written: the policy's logical id, the statement's number and `Sid`. */
  readonly place: string;
  readonly effect: 'Allow' | 'Deny';
  /** As written. */
  readonly actions: readonly string[];
  matchesAction(action: string): boolean;
  matchesResource(resource: string): boolean;
  /** Of a policy of a resource; always true for one of a role. */
  matchesPrincipal(caller: Caller): boolean;
  matchesContext(context: Caller['context']): boolean;
}

const oneOrMany = <const Item extends v.GenericSchema<string>>(item: Item) =>
  v.pipe(
    v.union([v.string(), v.array(v.string())]),
    v.transform((value) => [value].flat()),
    v.array(item),
  );
/** AWS takes wildcards in the name of the action only (IAM user guide, "Action"). */
const action = v.pipe(
  v.string(),
  v.regex(/^(\*|[a-z\d-]+:[a-z\d*?]+)$/i, 'an action is written service:Name, or * for all'),
);
/** `${aws:username}` and the like would be matched as they are written, which is never what is meant. */
const withoutVariables = v.check(
  (text: string) => !text.includes('${'),
  'the local stack does not fill in policy variables',
);
const arn = v.pipe(
  v.string(),
  v.regex(/^(\*|arn(:[^:]*){4}:.+)$/, 'a resource is an ARN, or * for all'),
  withoutVariables,
);
/** CloudFormation also takes booleans here. */
const values = v.pipe(
  v.union([v.string(), v.boolean(), v.array(v.string())]),
  v.transform((value) => [value].flat().map(String)),
  v.array(v.pipe(v.string(), withoutVariables)),
);

const statementSchema = v.strictObject({
  Sid: v.optional(v.string()),
  Effect: v.picklist(['Allow', 'Deny']),
  Action: oneOrMany(action),
  // A trust policy names no resource: it is the role itself.
  Resource: v.optional(oneOrMany(arn), '*'),
  Principal: v.optional(
    v.union([
      v.strictObject({ AWS: v.literal('*') }),
      v.strictObject({ Service: oneOrMany(v.string()) }),
    ]),
  ),
  Condition: v.optional(recordOf(v.string(), recordOf(v.string(), values)), {}),
});
type StatementProperties = v.InferOutput<typeof statementSchema>;

const documentSchema = v.looseObject({
  Statement: v.pipe(
    v.unknown(),
    v.transform((value) => [value].flat()),
  ),
});

/**
 * Reads a policy document whose intrinsic functions are applied.
 *
 * @param place The logical id of what holds it, to be named in errors and denials.
 * @throws SettingError naming the statement that cannot be decided on this machine.
 */
export function readStatements(document: unknown, place: string): readonly Statement[] {
  return parseBorder(documentSchema, document, place).Statement.map((statement, index) =>
    readStatement(statement, `${place}, statement ${index + 1}`),
  );
}

function readStatement(raw: unknown, numbered: string): Statement {
  const properties = parseBorder(statementSchema, raw, numbered);
  const { Sid, Effect, Action, Resource } = properties;
  const place = Sid === undefined ? numbered : `${numbered} (${Sid})`;
  const actions = Action.map((pattern) => wildcard(pattern, 'i'));
  const resources = Resource.map(arnWildcard);
  const conditions = Object.entries(properties.Condition).map(([operator, keys]) =>
    readCondition(operator, keys, place),
  );
  return {
    place,
    effect: Effect,
    actions: Action,
    matchesAction: (name) => actions.some((matches) => matches(name)),
    matchesResource: (name) => resources.some((matches) => matches(name)),
    matchesPrincipal: (caller) => matchesPrincipal(properties, caller),
    matchesContext: (context) => conditions.every((holds) => holds(context)),
  };
}

function matchesPrincipal({ Principal: named }: StatementProperties, caller: Caller): boolean {
  if (named === undefined || 'AWS' in named) return true;
  return caller.kind === 'service' && named.Service.includes(caller.name);
}

/** Whether the `Condition` of a statement holds for a call. */
type Condition = (context: Caller['context']) => boolean;

/** Whether the value of a key, `undefined` without one, fits the value that is written in the policy. */
type Operator = (actual: string | undefined, expected: string) => boolean;

const sameArn: Operator = (actual, expected) =>
  actual !== undefined && arnWildcard(expected)(actual);

const OPERATORS: Readonly<Record<string, Operator>> = {
  StringEquals: (actual, expected) => actual === expected,
  Bool: (actual, expected) => actual === expected.toLowerCase(),
  Null: (actual, expected) => String(actual === undefined) === expected.toLowerCase(),
  // Both take wildcards (IAM user guide, "Amazon Resource Name (ARN) condition operators").
  ArnEquals: sameArn,
  ArnLike: sameArn,
};

/** What is known of a call. A statement on any other key cannot be decided here. */
const KNOWN_KEYS = new Set([
  'aws:securetransport',
  'aws:sourceaccount',
  'aws:sourcearn',
  'events:detail-type',
  'events:source',
  // No key of KMS is used here, so a statement with it allows nothing.
  'kms:viaservice',
  'lambda:sourcefunctionarn',
]);

/**
 * Reads one operator with its keys; all of them have to hold, each with one of its values.
 *
 * @throws SettingError naming `place` when the operator or a key is none that can be decided here.
 */
function readCondition(
  operator: string,
  keys: Readonly<Record<string, readonly string[]>>,
  place: string,
): Condition {
  const matches = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  if (matches === undefined) throw unknown(operator, Object.keys(OPERATORS), place);
  for (const key of Object.keys(keys)) {
    if (!KNOWN_KEYS.has(key.toLowerCase())) throw unknown(key, [...KNOWN_KEYS], place);
  }
  return (context) =>
    Object.entries(keys).every(([key, values]) =>
      values.some((expected) => matches(context[key.toLowerCase()], expected)),
    );
}

function unknown(name: string, known: readonly string[], place: string): SettingError {
  const problem = `the local stack cannot decide the condition ${name}; it knows ${known.join(', ')}`;
  return new SettingError(place, problem);
}
