import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';

/** One answer of a hostile API. */
export interface HostileShape {
  readonly title: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** As it is sent; made anew when asked for, since all together would take a gigabyte. */
  readonly body: () => Buffer;
  /** How it is compressed when it is sent. */
  readonly encode?: (body: Buffer) => Buffer;
}

/** The default of `maxBodyBytes`, less what closes a text. */
const MOST = 16 * 1024 * 1024 - 64;
/** Beyond it. */
const BOMB_BYTES = 64 * 1024 * 1024;

const RECORD = '{"id":1,"name":"Jane"}';
const TAIL = `"customers":[${RECORD}]`;

/** As often as it fits between `before` and `after`. */
function filled(before: string, unit: string, after: string, most = MOST): Buffer {
  const room = most - Buffer.byteLength(before) - Buffer.byteLength(after);
  const units = Math.floor(room / Buffer.byteLength(unit));
  const middle = Buffer.alloc(units * Buffer.byteLength(unit), unit);
  return Buffer.concat([Buffer.from(before), middle, Buffer.from(after)]);
}

/** Units that differ by their number. */
function numbered(before: string, unit: (index: number) => string, after: string): Buffer {
  const parts = [before];
  let bytes = before.length + after.length;
  for (let index = 0; ; index++) {
    const part = unit(index);
    bytes += part.length;
    if (bytes > MOST) break;
    parts.push(part);
  }
  return Buffer.from(parts.join('') + after);
}

const shape = (title: string, body: () => Buffer): HostileShape => ({ title, body });

const errors: readonly HostileShape[] = [
  shape('error of small objects', () => filled('{"errors":[{}', ',{}', ']}')),
  shape('error of small objects, cut', () => filled('{"errors":[{}', ',{}', '')),
  shape('error of many members', () => numbered('{"a":0', (at) => `,"e${at}":0`, '}')),
  shape('error nested deep', () => filled('', '{"error":', '')),
  shape('error of one string', () => filled('{"code":"', 'x', '"}')),
  shape('error of escapes', () => filled('{"message":"', '\\u0041', '"}')),
  shape('error of backslashes', () => filled('{"message":"', '\\\\', '"}')),
  shape('error of HTML', () => filled('<html>', '<p>No.</p>', '</html>')),
  shape('error of NUL', () => filled('', '\0', '')),
  shape('error of white space', () => filled('', ' ', '')),
  { ...shape('error, gzip bomb', () => filled('', ' ', '', BOMB_BYTES)), encode: gzip },
].map((each, index) => ({ ...each, status: [400, 500, 404, 401, 429][index % 5] ?? 400 }));

const around: readonly HostileShape[] = [
  shape('error in a 2xx of small objects', () => filled('{"errors":[{}', ',{}', ']}')),
  shape('error in a 2xx of members', () => numbered('{"error":{"a":0', (at) => `,"${at}":0`, '}}')),
  shape('meta of members', () => numbered(`{${TAIL},"meta":{"a":0`, (at) => `,"m${at}":0`, '}}')),
  shape('meta of small objects', () => filled(`{${TAIL},"meta":{"a":[{}`, ',{}', ']}}')),
  shape('meta nested deep', () => filled(`{${TAIL},"meta":`, '{"meta":', '')),
  shape('meta of one string', () => filled(`{${TAIL},"meta":{"a":"`, 'x', '"}}')),
  shape('members of the root', () => numbered(`{${TAIL}`, (at) => `,"m${at}":0`, '}')),
  shape('objects in the root', () => numbered('{"a":{}', (at) => `,"m${at}":{}`, '}')),
  shape('objects of objects', () => filled('{"a":{}', `,"b":{${'"c":{},'.repeat(900)}"d":0}`, '}')),
  shape('lists in the root', () => numbered('{"a":[]', (at) => `,"m${at}":[]`, '}')),
  shape('lists of objects in the root', () => numbered('{"a":[{}]', (at) => `,"m${at}":[{}]`, '}')),
  shape('items under twelve names', () => {
    const names = ['data', 'items', 'results', 'records', 'list', 'rows'];
    const each = Math.floor(MOST / names.length);
    const lists = names.map((name) => filled(`"${name}":[{}`, ',{}', ']', each - 8).toString());
    return Buffer.from(`{${lists.join(',')}}`);
  }),
  shape('evidence, the same again and again', () => filled(`{${TAIL}`, ',"total":7', '}')),
  shape('evidence in all spellings', () =>
    numbered(`{${TAIL}`, (at) => `,"t${'-_'.charAt(at % 2).repeat(at % 4_000)}otal":${at}`, '}'),
  ),
  shape('one long name', () => filled(`{${TAIL},"`, 'x', '":0}')),
  shape('one long name of escapes', () => filled(`{${TAIL},"`, '\\u0041', '":0}')),
  shape('a link of 16 MB', () => filled(`{${TAIL},"next":"`, '?page=', '"}')),
  shape('a total of digits', () => filled(`{${TAIL},"total":1`, '0', '}')),
  shape('a total of zeros and an exponent', () => filled(`{${TAIL},"total":0.`, '0', 'e999999}')),
  shape('white space around everything', () => filled(`{${TAIL}`, ' \n\t\r', '}')),
  shape('a list of lists, deep', () => filled('', '[', '')),
  shape('closing brackets', () => filled('', ']', '')),
];

const records: readonly HostileShape[] = [
  shape('records of one byte', () => filled('{"customers":[0', ',0', ']}')),
  shape('records of one byte, with spaces', () => filled('{"customers":[0', ', 0', ']}')),
  shape('100,000 records', () => {
    const pad = 'x'.repeat(120);
    return filled(`{"customers":[${RECORD}`, `,{"id":1,"n":"${pad}"}`, ']}', 14_000_000);
  }),
  shape('empty objects', () => filled('{"customers":[{}', ',{}', ']}')),
  shape('one giant string', () => filled('{"customers":[{"id":1,"x":"', 'y', '"}]}')),
  shape('one giant id', () => filled('{"customers":[{"id":"', 'y', '"}]}')),
  shape('one giant id of digits', () => filled('{"customers":[{"id":', '9', '}]}')),
  shape('one giant record of members', () =>
    numbered('{"customers":[{"id":1', (at) => `,"m${at}":0`, '}]}'),
  ),
  shape('one giant record, one name', () => filled('{"customers":[{"id":1', ',"id":0', '}]}')),
  shape('one giant record of objects', () => filled('{"customers":[{"a":[{}', ',{}', ']}]}')),
  shape('records nested deep', () => filled('{"customers":[', '{"a":', '')),
  shape('records of escapes', () => filled('{"customers":[{"name":"', '\\u0041', '"}]}')),
  shape('records of escaped quotes', () => filled('{"customers":[{"name":"', '\\"', '"}]}')),
  shape('records of surrogates', () => filled('{"customers":[{"name":"', '\\ud800', '"}]}')),
  shape('records of emoji', () => filled('{"customers":[{"name":"', '😀', '"}]}')),
  shape('records of percent signs', () => filled('{"customers":[{"name":"', '%41', '"}]}')),
  shape('records of entities', () => filled('{"customers":[{"name":"', '&#65;', '"}]}')),
  shape('ASCII and one ä', () => filled('{"customers":[{"name":"ä', 'y', '"}]}')),
  shape('white space in records', () => filled('{"customers":[{"id":1', ' ', '}]}')),
  shape('white space in 90,000 records', () =>
    filled('{"customers":[{"id":1}', `,{"id"  :${' '.repeat(150)}1 }`, ']}', 14_000_000),
  ),
];

const broken: readonly HostileShape[] = [
  shape('cut in a record', () => filled('{"customers":[{"id":1', ',"a":0', '')),
  shape('cut in a character', () => filled('{"customers":[{"n":"', 'é', '\u00e9').subarray(0, -1)),
  shape('invalid UTF-8', () => Buffer.alloc(MOST, 0xff)),
  shape('NUL', () => filled('', '\0', '')),
  shape('byte order marks', () => filled('', '\ufeff', '')),
  shape('a byte order mark, then records', () => filled(`\ufeff{"customers":[{}`, ',{}', ']}')),
  shape('digits without end', () => filled('', '1', '')),
  shape('HTML with status 200', () => filled('<html>', '<p>No.</p>', '</html>')),
  { ...shape('gzip bomb', () => filled('', ' ', '', BOMB_BYTES)), encode: gzip },
  { ...shape('gzip bomb of records', () => filled('{"customers":[{}', ',{}', ']}')), encode: gzip },
  {
    ...shape('brotli bomb of members', () => filled('{"customers":[{"a":0', ',"a":0', '}]}')),
    headers: { 'Content-Encoding': 'br' },
    encode: (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  },
  {
    ...shape('gzip of gzip of gzip', () => filled(`{${TAIL}`, ' ', '}')),
    headers: { 'Content-Encoding': 'gzip, gzip, gzip' },
    encode: (body) => gzip(gzip(gzip(body))),
  },
  {
    ...shape('deflate, cut', () => filled(`{${TAIL}`, ' ', '}')),
    headers: { 'Content-Encoding': 'deflate' },
    encode: (body) => deflateSync(body).subarray(0, -8),
  },
  {
    ...shape('a long charset', () => filled('{"a":"', 'ä', '"}')),
    headers: { 'Content-Type': `application/json; charset=${'x'.repeat(15_000)}` },
  },
];

function gzip(body: Buffer): Buffer {
  return gzipSync(body, { level: 1 });
}

export const SHAPES: readonly HostileShape[] = [...errors, ...around, ...records, ...broken].map(
  (each) =>
    each.encode !== undefined && each.headers === undefined
      ? { ...each, headers: { 'Content-Encoding': 'gzip' } }
      : each,
);
