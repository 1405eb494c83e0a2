import { SettingError } from '../../lib/errors.ts';

/** Parts of Node.js whose debug output shows requests, answers or credentials, as bytes or as text. */
const SECTIONS = 'http|https|http2|net|tls|stream|fetch|undici|websocket';
const TELLS_REQUESTS = new RegExp(`^(${SECTIONS})$|\\*`, 'i');

/** Options of Node.js by which the key, or what decrypts it, is written to a file. */
const WRITES_MEMORY =
  /(?<![\w-])--(tls-keylog|heapsnapshot-signal|heapsnapshot-near-heap-limit|report-[\w-]+)(?![\w-])/;

/**
 * A process that holds keys does not start with what makes Node.js print or store them, or send them to anyone:
 * `NODE_DEBUG` shows what comes from Secrets Manager and the credentials of the function, a heap snapshot holds every
 * key, a TLS key log decrypts what was recorded on the way, and without a look at certificates whoever is on the way
 * gets the key.
 *
 * @throws SettingError naming the variable, or the option.
 */
export function refuseKeyOutput(
  variables: Readonly<Record<string, string | undefined>> = process.env,
  execArgv: readonly string[] = process.execArgv,
): void {
  // As Node.js reads it ("Command-line API", NODE_TLS_REJECT_UNAUTHORIZED).
  if (variables['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    throw new SettingError(
      'NODE_TLS_REJECT_UNAUTHORIZED',
      '0 makes Node.js believe every certificate, and the key could go to anyone. Remove it. A private certificate authority is named in NODE_EXTRA_CA_CERTS.',
    );
  }
  const sections = (variables['NODE_DEBUG'] ?? '').split(',').map((each) => each.trim());
  const section = sections.find((each) => TELLS_REQUESTS.test(each));
  if (section !== undefined) {
    throw new SettingError(
      'NODE_DEBUG',
      `${section} makes Node.js print requests, answers and credentials. Remove it from the environment of this function.`,
    );
  }
  refuseOption('NODE_OPTIONS', variables['NODE_OPTIONS'] ?? '');
  refuseOption('the command line', execArgv.join(' '));
}

function refuseOption(where: string, options: string): void {
  // Node.js takes underscores for hyphens, and passes over the quotes of NODE_OPTIONS ("Command-line API", "Options").
  const [option] = WRITES_MEMORY.exec(options.replaceAll('_', '-').replaceAll(/["\\]/g, '')) ?? [];
  if (option === undefined) return;
  throw new SettingError(
    where,
    `${option} makes Node.js write keys, or what decrypts them, to a file. Remove it.`,
  );
}
