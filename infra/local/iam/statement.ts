import * as v from 'valibot';
import { SettingError } from '../../../lib/errors.ts';
import { parseBorder } from '../template/parse-border.ts';
import { type Condition, readCondition } from './condition.ts';
import type { IamRequest, Principal } from './request.ts';
import { arnWildcard, wildcard } from './wildcard.ts';

/** One statement of a policy, ready to be asked. */
export interface Statement {
  /** Where it is written: the policy's logical id, the statement's number and `Sid`. */
  readonly place: string;
  readonly effect: 'Allow' | 'Deny';
  /** As written; with `NotAction` every other one. */
  readonly actions: readonly string[];
  matchesAction(action: string): boolean;
  matchesResource(resource: string): boolean;
  /** Of a policy of a resource; always true for one of a role. */
  matchesPrincipal(principal: Principal): boolean;
  matchesContext(context: IamRequest['context']): boolean;
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
const arn = v.pipe(
  v.string(),
  v.regex(/^(\*|arn(:[^:]*){4}:.+)$/, 'a resource is an ARN, or * for all'),
);
/** CloudFormation also takes numbers and booleans here. */
const values = v.pipe(
  v.union([
    v.string(),
    v.boolean(),
    v.number(),
    v.array(v.union([v.string(), v.boolean(), v.number()])),
  ]),
  v.transform((value) => [value].flat().map(String)),
);

const statementSchema = v.strictObject({
  Sid: v.optional(v.string()),
  Effect: v.picklist(['Allow', 'Deny']),
  Action: v.optional(oneOrMany(action)),
  NotAction: v.optional(oneOrMany(action)),
  Resource: v.optional(oneOrMany(arn)),
  NotResource: v.optional(oneOrMany(arn)),
  Principal: v.optional(v.union([v.literal('*'), v.record(v.string(), oneOrMany(v.string()))])),
  Condition: v.optional(v.record(v.string(), v.record(v.string(), values)), {}),
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
  const { Sid, Effect, Action, NotAction, Resource, NotResource } = properties;
  const place = Sid === undefined ? numbered : `${numbered} (${Sid})`;
  if ((Action === undefined) === (NotAction === undefined)) {
    throw new SettingError(place, 'it needs either Action or NotAction');
  }
  if (Resource !== undefined && NotResource !== undefined) {
    throw new SettingError(place, 'it has both Resource and NotResource; keep one');
  }
  refuseVariables(properties, place);
  const conditions: readonly Condition[] = Object.entries(properties.Condition).map(
    ([operator, keys]) => readCondition(operator, keys, place),
  );
  return {
    place,
    effect: Effect,
    actions: Action ?? ['*'],
    matchesAction: anyOf(Action, NotAction, (pattern) => wildcard(pattern, 'i')),
    // A trust policy names no resource: it is the role itself.
    matchesResource: anyOf(Resource, NotResource ?? [], arnWildcard),
    matchesPrincipal: principalMatcher(properties),
    matchesContext: (context) => conditions.every((holds) => holds(context)),
  };
}

function anyOf(
  patterns: readonly string[] | undefined,
  otherThan: readonly string[] | undefined,
  matcher: (pattern: string) => (text: string) => boolean,
): (text: string) => boolean {
  const matchers = (patterns ?? otherThan ?? []).map(matcher);
  const expected = patterns !== undefined;
  return (text) => matchers.some((matches) => matches(text)) === expected;
}

/** `${aws:username}` and the like would be matched as they are written, which is never what is meant. */
function refuseVariables(properties: StatementProperties, place: string): void {
  const { Resource = [], NotResource = [], Condition: conditions } = properties;
  const texts = [...Resource, ...NotResource, ...Object.values(conditions).flatMap(Object.values)];
  const found = texts.flat().find((text) => String(text).includes('${'));
  if (found === undefined) return;
  throw new SettingError(place, `the local stack does not fill in policy variables, got ${found}`);
}

function principalMatcher({ Principal: named, Effect }: StatementProperties) {
  if (named === undefined || named === '*') return () => true;
  const { AWS = [], Service = [] } = named;
  // An account as principal leaves an Allow to the policies of its roles (IAM user guide, "AWS account principals").
  const isAccount = (arn: string) => /^(\d{12}|arn:aws:iam::\d{12}:root)$/.test(arn);
  return (principal: Principal): boolean => {
    if (AWS.includes('*')) return true;
    if (principal.kind === 'service') return Service.includes(principal.name);
    if (Effect === 'Deny' && AWS.some(isAccount)) return true;
    return principal.kind === 'role' && AWS.includes(principal.arn);
  };
}
