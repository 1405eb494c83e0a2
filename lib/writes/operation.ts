import * as v from 'valibot';
import { parseSetting } from '../customers-api/parse-options.ts';
import { ListParameterNameSchema, ParameterNameSchema } from '../customers-api/query.ts';
import { SettingError } from '../errors.ts';
import { wholeNumber } from '../number-range.ts';
import { recordOf } from '../record-of.ts';
import { isTemplate, paramsIn, placeholdersIn } from './template.ts';

/**
 * A write operation of the API, declared by the user: no operation is assumed to exist. It defines the request,
 * and what makes a repeat safe after an unclear answer.
 */
export interface Operation {
  /** Name of the operation, 1 to 64 letters, digits, `.`, `_` and `-`. */
  readonly name: string;
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * Below `{base_url}/2.0/`, such as `customers` or `customers/{id}`. A placeholder is filled from the write's
   * `params`, as one path segment or a part of one.
   */
  readonly resource: string;
  /** Whether the API supports `Idempotency-Key` here: a repeat with the same key has no second effect. */
  readonly acceptsIdempotencyKey: boolean;
  /** Shows whether the write took effect. @default - a person must find out */
  readonly check?: Check;
}

/**
 * A read that shows whether a write took effect. It must see an effect after `settleSeconds`, and must not take
 * the effect of another write for this one: match a value that only this write can have set.
 *
 * `resource`, `query` and `match` may hold `{params.name}`, `{body.path.to.member}` and `{writeId}`.
 */
export type Check = ReadCheck | ListCheck;

interface CheckCommon {
  /**
   * Members of the answer (names joined by dots) and their values after the write took effect, such as `{
   * "email": "{body.email}" }`. Texts are compared exactly, numbers by value with all their digits. Where the
   * record may have the same number in rounded form, the check shows nothing.
   */
  readonly match?: Readonly<Record<string, string>>;
  /**
   * `match`: the write took effect when there is a matching record. `absent`: when there is none, as after a
   * DELETE. @default 'match'
   */
  readonly proves?: 'match' | 'absent';
  /** How long an effect may stay invisible after the request, 0 to 3,600 s. The check waits that long. @default 10 */
  readonly settleSeconds?: number;
}

/** Reads one resource; 404 and 410 with an error body of JSON mean that it does not exist. */
export interface ReadCheck extends CheckCommon {
  readonly kind: 'read';
  readonly resource: string;
  readonly query?: Readonly<Record<string, string>>;
}

/** Searches the pages of a list for a matching record. A search that stopped before the end proves no absence. */
export interface ListCheck extends CheckCommon {
  readonly kind: 'list';
  readonly resource: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Most pages to read, 1 to 100. */
  readonly maxPages: number;
}

const NAME = /^[A-Za-z0-9._-]{1,64}$/;
const SEGMENT = String.raw`(?:[\w.~-]|\{[A-Za-z_][\w-]*\})+`;
const RESOURCE = new RegExp(`^${SEGMENT}(?:/${SEGMENT})*$`);
const MEMBER_PATH = /^[^.]+(?:\.[^.]+)*$/;

const template = v.pipe(
  v.string('expected text'),
  v.check(
    isTemplate,
    'expected placeholders such as {params.id}, {body.address.city} or {writeId} and nothing else in braces',
  ),
);

const match = v.pipe(
  recordOf(
    v.pipe(v.string(), v.regex(MEMBER_PATH, 'expected member names joined by dots')),
    template,
  ),
  v.check((members) => Object.keys(members).length > 0, 'expected one member or more'),
);

const checkEntries = {
  resource: v.pipe(template, v.minLength(1, 'expected a resource such as customers/{params.id}')),
  match: v.exactOptional(match),
  proves: v.exactOptional(v.picklist(['match', 'absent'], 'expected match or absent')),
  settleSeconds: v.exactOptional(wholeNumber(0, 3_600)),
};

const checkSchema = v.pipe(
  v.variant(
    'kind',
    [
      v.strictObject({
        kind: v.literal('read'),
        ...checkEntries,
        query: v.exactOptional(recordOf(ParameterNameSchema, template)),
      }),
      v.strictObject({
        kind: v.literal('list'),
        ...checkEntries,
        query: v.exactOptional(recordOf(ListParameterNameSchema, template)),
        maxPages: wholeNumber(1, 100),
      }),
    ],
    'expected read or list',
  ),
  v.check(
    ({ kind, match, proves }) => match !== undefined || (kind === 'read' && proves === 'absent'),
    'expected match: without it, only a read with proves set to absent shows something',
  ),
);

export const OperationSchema: v.GenericSchema<unknown, Operation> = v.strictObject({
  name: v.pipe(
    v.string('expected text'),
    v.regex(NAME, 'expected 1 to 64 letters, digits, dots, underscores and hyphens'),
  ),
  method: v.picklist(['POST', 'PUT', 'PATCH', 'DELETE'], 'expected POST, PUT, PATCH or DELETE'),
  resource: v.pipe(
    v.string('expected text'),
    v.regex(RESOURCE, 'expected a resource such as customers or customers/{id}'),
  ),
  acceptsIdempotencyKey: v.boolean('expected true or false'),
  check: v.exactOptional(checkSchema),
});

export function paramNamesOf({ resource, check }: Operation): ReadonlySet<string> {
  const { resource: checked = '', query = {}, match = {} } = check ?? {};
  const templates = [checked, ...Object.values(query), ...Object.values(match)];
  return new Set([...placeholdersIn(resource), ...templates.flatMap(paramsIn)]);
}

/** Parses the declared operations. @throws SettingError naming the member, such as `operations[1].check.maxPages`. */
export function operationsOf(given: unknown): readonly Operation[] {
  const operations = parseSetting(v.array(OperationSchema), given, 'operations');
  const names = operations.map(({ name }) => name);
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice >= 0) {
    throw new SettingError(
      `operations[${twice}].name`,
      `${JSON.stringify(names[twice])} is the name of an earlier operation. Choose another one.`,
    );
  }
  return operations;
}
