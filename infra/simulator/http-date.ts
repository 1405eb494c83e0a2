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

/** Any of the three forms in ms; undefined for anything else. */
export function parseHttpDate(text: string): number | undefined {
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined;
  const ms = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`);
  return Number.isNaN(ms) ? undefined : ms;
}
