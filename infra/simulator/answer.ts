/** One header line; the same name may come more than once. */
export type HeaderLine = readonly [name: string, value: string];

/** An answer before it is sent: without the headers of the connection. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  readonly body: Buffer;
}

const JSON_TYPE: HeaderLine = ['Content-Type', 'application/json; charset=utf-8'];

export function jsonAnswer(
  status: number,
  body: string | Buffer,
  headers: readonly HeaderLine[] = [],
): Answer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return { status, headers: [JSON_TYPE, ...headers], body: bytes };
}

export function errorAnswer(
  status: number,
  code: string,
  message: string,
  headers: readonly HeaderLine[] = [],
): Answer {
  return jsonAnswer(status, JSON.stringify({ error: { code, message } }), headers);
}

export function headerValues(headers: readonly HeaderLine[], name: string): readonly string[] {
  const wanted = name.toLowerCase();
  return headers.filter(([got]) => got.toLowerCase() === wanted).map(([, value]) => value);
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** The three forms of an HTTP-date, RFC 9110 section 5.6.7. */
export type HttpDateForm = 'date' | 'rfc850' | 'asctime';

export function httpDate(ms: number, form: HttpDateForm = 'date'): string {
  const date = new Date(ms);
  const imf = date.toUTCString(); // Sun, 06 Nov 1994 08:49:37 GMT
  const [shortDay = '', day = '', month = '', year = '', time = ''] = imf.split(' ');
  switch (form) {
    case 'date':
      return imf;
    case 'rfc850':
      return `${DAYS[date.getUTCDay()]}, ${day}-${month}-${year.slice(-2)} ${time} GMT`;
    case 'asctime':
      return `${shortDay.slice(0, 3)} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`;
  }
}
