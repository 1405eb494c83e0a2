import { type ExactJson, elementsIn, exactText, membersIn } from '../../lib/json/exact-json.ts';
import { isKeptByDoubles } from '../../lib/json/exact-number.ts';

/**
 * The place of the first number whose digits may have been lost before the event came here. EventBridge promises
 * whole numbers of 64 bits (API reference, PutEvents) and says nothing of fractions, and producers and transformers
 * on the way may keep numbers as doubles. A number that doubles keep came as it was sent.
 *
 * @param json Of a depth that a stack has room for.
 * @returns Names joined by dots, those that are words alone; `undefined` when there is no such number.
 */
export function uncertainNumber(json: ExactJson): string | undefined {
  return find(json, '')?.replace(/^\./, '');
}

function find(json: ExactJson, place: string): string | undefined {
  if (json.kind === 'number') return isKeptByDoubles(exactText(json)) ? undefined : place;
  for (const [name, value] of membersIn(json)) {
    const found = find(value, /^[\w-]{1,64}$/.test(name) ? `${place}.${name}` : place);
    if (found !== undefined) return found;
  }
  for (const [index, element] of elementsIn(json).entries()) {
    const found = find(element, `${place}[${index}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}
