/** The reaction to an error. Stable: match on the code, not on the message. */
export type ErrorCode =
  | 'INVALID_SETTING'
  | 'INVALID_KEY'
  | 'THROTTLED'
  | 'AUTHENTICATION_FAILED'
  | 'UNAVAILABLE'
  | 'REFUSED';

/**
 * Base of the errors of the client and of settings. It never carries a request, a response, a body, a URL or a `cause` from
 * the HTTP client: such objects hold the key or customer data.
 */
export abstract class CustomersError extends Error {
  abstract readonly code: ErrorCode;
}

/** A value that is quoted may be of any length. */
const MAX_MESSAGE_LENGTH = 2_000;

function shortened(text: string): string {
  return text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text;
}

/** A setting or an argument is wrong; `setting` names it. */
export class SettingError extends CustomersError {
  override readonly name = 'SettingError';
  readonly code = 'INVALID_SETTING';
  readonly setting: string;
  /** The message without the name of the setting. */
  readonly problem: string;

  constructor(setting: string, problem: string) {
    super(shortened(`${setting}: ${problem}`));
    this.setting = setting;
    this.problem = shortened(problem);
  }

  /** The same problem where the setting is called `setting`. */
  at(setting: string): SettingError {
    return new SettingError(setting, this.problem);
  }
}

/** The key cannot be a header value: store it again. The message contains no character of it. */
export class InvalidKeyError extends CustomersError {
  override readonly name = 'InvalidKeyError';
  readonly code = 'INVALID_KEY';
}

/** The name of a thrown value, for a log line: messages of foreign errors may quote data. */
export function errorName(error: unknown): string {
  return textIn(error, 'name') ?? typeof error;
}

/** A member of whatever was thrown; `undefined` where it is no text, or cannot be read: code of others may stand behind it. */
export function textIn(value: unknown, member: string): string | undefined {
  try {
    const text: unknown = Reflect.get(Object(value), member);
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}
