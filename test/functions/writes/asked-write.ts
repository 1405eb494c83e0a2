import fc from 'fast-check';
import {
  anyJson,
  nestedJson,
  number,
  objectOf,
  rawString,
  string,
  type WrittenJson,
  type WrittenMember,
} from './written-json.ts';

/** The ways in. `bytes`: over HTTP, as base64. */
type Way = 'http' | 'bytes' | 'queue' | 'event';

/** What is wrong with the text as a whole. */
type Defect =
  | 'none'
  | 'twice'
  | 'stranger'
  | 'byte-order-mark'
  | 'latin-1'
  | 'half-character'
  | 'replacement-character'
  | 'cut';

/** A write as somebody asks for it, rightly or not. */
export interface AskedWrite {
  readonly way: Way;
  readonly operation: 'create' | 'change';
  readonly params: WrittenJson | undefined;
  readonly paramMembers: readonly WrittenMember[];
  readonly body: WrittenJson | undefined;
  readonly levels: number;
  readonly defect: Defect;
  readonly stranger: string;
}

/** What has to come of it. */
export type Expected =
  | { readonly kind: 'arrives'; readonly segment: string; readonly body: string | undefined }
  /** The places that may be named, of which the first one found is. */
  | { readonly kind: 'refused'; readonly places: readonly string[] };

/** Where the text as a whole is wrong: over HTTP, and in a message. */
const WHOLE = ['body', 'write'];
const WORD = /^[\w-]{1,64}$/;
/** The path of any resource ends at 512 characters a param. */
const MAX_PARAM_LENGTH = 512;

const paramName = fc.oneof(
  { weight: 12, arbitrary: fc.constant('"id"') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('"\\u0069d"', '"constructor"', '"__proto__"', '"ID"', '"<x>"'),
  },
);
const paramValue = fc.oneof(
  { weight: 10, arbitrary: number },
  { weight: 10, arbitrary: string },
  {
    weight: 2,
    arbitrary: fc.constantFrom('', '.', '..', 'a/b?c#d', 'x'.repeat(513)).map(rawString),
  },
  { weight: 2, arbitrary: anyJson },
);
const paramMembers = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.array(fc.record({ name: paramName, value: paramValue }), {
      minLength: 1,
      maxLength: 1,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.array(fc.record({ name: paramName, value: paramValue }), { maxLength: 3 }),
  },
);

export const askedWrite: fc.Arbitrary<AskedWrite> = fc
  .record({
    way: fc.constantFrom<Way>('http', 'bytes', 'queue', 'event'),
    operation: fc.constantFrom('create' as const, 'change' as const),
    paramMembers,
    noObject: fc.oneof(
      { weight: 30, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: anyJson },
    ),
    body: fc.option(anyJson, { freq: 10, nil: undefined }),
    levels: fc.oneof(
      { weight: 30, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.constantFrom(99, 100, 101, 998, 1_100, 50_000) },
    ),
    defect: fc.oneof(
      { weight: 40, arbitrary: fc.constant<Defect>('none') },
      {
        weight: 7,
        arbitrary: fc.constantFrom<Defect>(
          'twice',
          'stranger',
          'byte-order-mark',
          'latin-1',
          'half-character',
          'replacement-character',
          'cut',
        ),
      },
    ),
    stranger: fc.constantFrom(
      'more',
      'constructor',
      '__proto__',
      'toString',
      '<x>',
      'n'.repeat(65),
    ),
  })
  .map(({ noObject, ...asked }) => ({ ...asked, ...withParams(asked, noObject) }))
  .map((asked) => ({ ...asked, ...withBody(asked) }));

function withParams(
  { operation, paramMembers: members }: Pick<AskedWrite, 'operation' | 'paramMembers'>,
  noObject: WrittenJson | undefined,
): Pick<AskedWrite, 'params' | 'paramMembers'> {
  if (noObject !== undefined && noObject.kind !== 'object') {
    return { params: noObject, paramMembers: [] };
  }
  // A create without any is the common case; one with some is refused.
  const isLeftOut = operation === 'create' && members.length === 1 && members[0]?.name === '"id"';
  if (isLeftOut) return { params: undefined, paramMembers: [] };
  return { params: objectOf(members, ' '), paramMembers: members };
}

function withBody({ defect, levels, body, way }: Omit<AskedWrite, 'params'>) {
  const wrongBodies: Partial<Record<Defect, string>> = {
    'latin-1': 'é',
    'half-character': '\ud800',
    'replacement-character': '\ufffd',
  };
  const wrong = wrongBodies[defect];
  if (wrong !== undefined) {
    // Half a character has no bytes of its own, and other bytes than UTF-8 have no text.
    const own: Way = defect === 'latin-1' ? 'bytes' : way === 'bytes' ? 'http' : way;
    return { body: rawString(wrong), levels: 0, way: own };
  }
  return levels === 0 ? { body, levels, way } : { body: nestedJson(levels), levels, way };
}

/** What a request of this text has to lead to. */
export function expectedOf(asked: AskedWrite): Expected {
  const places = [...wholeProblems(asked), ...paramProblems(asked), ...bodyProblems(asked)];
  if (places.length > 0) return { kind: 'refused', places };
  const [id] = asked.paramMembers;
  const param = id === undefined ? undefined : paramText(id.value);
  const segment = param === undefined ? 'customers' : `customers/${encodeURIComponent(param)}`;
  return { kind: 'arrives', segment, body: asked.body?.text };
}

function wholeProblems({ defect, stranger }: AskedWrite): readonly string[] {
  switch (defect) {
    case 'none':
      return [];
    case 'twice':
      return ['operation'];
    case 'stranger':
      return WORD.test(stranger) ? [stranger] : WHOLE;
    default:
      return WHOLE;
  }
}

function paramProblems({ operation, params, paramMembers: members }: AskedWrite) {
  if (params !== undefined && params.kind !== 'object') return ['params'];
  const names = members.map(({ name }) => String(JSON.parse(name)));
  const places = members.flatMap(({ value }, index) => {
    const name = names[index] ?? '';
    const place = WORD.test(name) ? `params.${name}` : 'params';
    const isKnown = operation === 'change' && name === 'id' && names.indexOf(name) === index;
    const text = paramText(value);
    if (!isKnown || text === undefined) return [place];
    if (text === '.' || text === '..') return ['params'];
    const isUsable = text !== '' && text.length <= MAX_PARAM_LENGTH && text.isWellFormed();
    return isUsable ? [] : [place];
  });
  return operation === 'change' && !names.includes('id') ? [...places, 'params.id'] : places;
}

function bodyProblems({ way, body, levels, params, paramMembers: members }: AskedWrite) {
  const isUncertain = way === 'event' && (body?.isKept === false || params?.isKept === false);
  const tooDeep = levels > 100 ? ['body', 'write'] : [];
  if (!isUncertain) return tooDeep;
  const uncertain = members.map(({ name }) => `params.${String(JSON.parse(name))}`);
  return [...tooDeep, 'body…', ...uncertain];
}

/** What goes into a path. */
function paramText({ kind, text }: WrittenJson): string | undefined {
  if (kind === 'string') return String(JSON.parse(text));
  return kind === 'number' ? text : undefined;
}

/** The text of the request, without the members that each way in has besides. */
export function requestText(
  { operation, params, body, defect, stranger }: AskedWrite,
  own: readonly string[],
): string {
  const members = [
    ...own,
    `"operation": "${operation}"`,
    ...(body === undefined ? [] : [`"body": ${body.sent}`]),
    ...(params === undefined ? [] : [`"params": ${params.sent}`]),
    ...(defect === 'twice' ? ['"operati\\u006fn": "create"'] : []),
    ...(defect === 'stranger' ? [`"${stranger}": null`] : []),
  ];
  const text = `{ ${members.join(' ,\n')} }`;
  if (defect === 'byte-order-mark') return `\ufeff${text}`;
  return defect === 'cut' ? text.slice(0, -1) : text;
}
