import { SettingError } from '../errors.ts';
import { ApiKey } from './api-key.ts';
import { redactorOf as makeRedactor, type Redact } from './redaction.ts';

/**
 * Makes a function that replaces every occurrence of the given keys, in all forms of `KeyForms`.
 *
 * @throws SettingError naming `keys`; the function one naming `text`.
 */
export function redactorOf(keys: readonly ApiKey[]): Redact {
  if (!Array.isArray(keys) || !keys.every((key) => key instanceof ApiKey)) {
    throw new SettingError('keys', 'expected a list of keys, each made by ApiKey.from');
  }
  const redact = makeRedactor(keys);
  return (text) => {
    if (typeof text === 'string') return redact(text);
    throw new SettingError('text', 'expected text');
  };
}
