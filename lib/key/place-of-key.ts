import { type ApiKey, REDACTED } from './api-key.ts';
import { isShortKey, keyDetectorOf, type Redact, redactorOf } from './redaction.ts';

/**
 * Where among settings the key is, such as `lists.invoices.itemsKey`: templates, logs, files and URLs show them, so a
 * key there is open to many. One that is too short to be looked for may be a part of a text by chance, but not all of it.
 *
 * @param settings What is set, by names. Of a name that holds the key, the place is that of what has the name.
 */
export function placeOfKey(key: ApiKey, settings: object): string | undefined {
  const holds = isShortKey(key) ? isAllOf(redactorOf([key])) : keyDetectorOf(key);
  const placeIn = (given: object, parent: string): string | undefined => {
    for (const [name, value] of Object.entries(given)) {
      if (holds(name)) return parent;
      const place = parent === '' ? name : `${parent}.${name}`;
      if (typeof value === 'string' && holds(value)) return place;
      const isObject = typeof value === 'object' && value !== null;
      const found = isObject ? placeIn(value, place) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return placeIn(settings, '');
}

function isAllOf(redact: Redact): (text: string) => boolean {
  return (text) => text !== REDACTED && redact(text) === REDACTED;
}
