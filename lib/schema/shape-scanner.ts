import { stringEnd } from '../json/json-scalar.ts';
import { textOf, valueEnd } from '../json/json-text.ts';
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  WRONG,
} from '../json/json-tokens.ts';
import { addScalar, addText } from './add-scalar.ts';
import { MemberShape, NUMBER_OF, SHAPE_LIMITS, Shape } from './shape.ts';

const NO_LISTS = new Map();

/**
 * Adds JSON values to shapes, in one pass over their bytes and without making values of them. A member is found by
 * its bytes where they are those of the member that followed the one before it the last time, as in most records.
 */
export class ShapeScanner {
  #bytes: Uint8Array = new Uint8Array();
  #shapes: number;
  #objects = 0;

  /** @param shapes Places that there are already. */
  constructor(shapes: number) {
    this.#shapes = shapes;
  }

  /**
   * Adds the value that begins at `start`.
   *
   * @param bytes Valid UTF-8 without white space between the tokens.
   * @returns After the value, or `WRONG` where it is cut or no JSON.
   */
  add(shape: Shape, bytes: Uint8Array, start: number): number {
    this.#bytes = bytes;
    return this.#value(shape, start, 1);
  }

  #value(shape: Shape, start: number, depth: number): number {
    const bytes = this.#bytes;
    const first = bytes[start];
    if (first === QUOTE) return addText(shape, bytes, start);
    if (first !== OPEN_OBJECT && first !== OPEN_ARRAY) return addScalar(shape, bytes, start);
    const type = first === OPEN_OBJECT ? NUMBER_OF.object : NUMBER_OF.array;
    shape.counts[type] = (shape.counts[type] ?? 0) + 1;
    if (depth > SHAPE_LIMITS.depth) {
      shape.unopened++;
      return this.#skip(start);
    }
    return first === OPEN_OBJECT
      ? this.#object(shape, start, depth)
      : this.#array(shape, start, depth);
  }

  #object(shape: Shape, start: number, depth: number): number {
    const bytes = this.#bytes;
    const object = ++this.#objects;
    if (bytes[start + 1] === CLOSE_OBJECT) return start + 2;
    let expected = shape.members[0];
    let before: MemberShape | undefined;
    for (let at = start + 1; ; at++) {
      let nameEnd = expected === undefined ? WRONG : endOfName(bytes, at, expected.nameBytes);
      let member = expected;
      if (nameEnd === WRONG) {
        nameEnd = bytes[at] === QUOTE ? stringEnd(bytes, at) : WRONG;
        if (nameEnd === WRONG) return WRONG;
        member = this.#memberOf(shape, at, nameEnd);
        if (before !== undefined) before.next = member;
      }
      if (bytes[nameEnd] !== COLON) return WRONG;
      if (member === undefined) {
        shape.unnamed++;
        at = this.#skip(nameEnd + 1);
      } else {
        if (member.seenIn !== object) member.present++;
        else member.repeated++;
        member.seenIn = object;
        at = this.#value(member, nameEnd + 1, depth + 1);
      }
      if (at === WRONG) return WRONG;
      if (bytes[at] === CLOSE_OBJECT) return at + 1;
      if (bytes[at] !== COMMA) return WRONG;
      before = member;
      expected = member?.next;
    }
  }

  /** `undefined` for one that gets no place of its own. */
  #memberOf(shape: Shape, start: number, end: number): MemberShape | undefined {
    const length = end - start - 2;
    if (length > SHAPE_LIMITS.nameBytes) return undefined;
    const raw = textOf(this.#bytes, { start: start + 1, end: end - 1 });
    const name = raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw;
    const known = shape.byName.get(name);
    if (known !== undefined) return known;
    const isFull =
      shape.members.length >= SHAPE_LIMITS.namesPerObject || this.#shapes >= SHAPE_LIMITS.shapes;
    if (isFull) return undefined;
    const member = new MemberShape(name, Buffer.from(raw));
    this.#shapes++;
    shape.members.push(member);
    shape.byName.set(name, member);
    return member;
  }

  #array(shape: Shape, start: number, depth: number): number {
    const bytes = this.#bytes;
    if (bytes[start + 1] === CLOSE_ARRAY) return start + 2;
    if (shape.element === undefined) {
      if (this.#shapes >= SHAPE_LIMITS.shapes) {
        shape.unopened++;
        return this.#skip(start);
      }
      this.#shapes++;
      shape.element = new Shape();
    }
    const { element } = shape;
    for (let at = start + 1, elements = 1; ; at++, elements++) {
      at = this.#value(element, at, depth + 1);
      if (at === WRONG) return WRONG;
      if (bytes[at] === CLOSE_ARRAY) {
        if (elements > shape.mostElements) shape.mostElements = elements;
        return at + 1;
      }
      if (bytes[at] !== COMMA) return WRONG;
    }
  }

  #skip(start: number): number {
    return valueEnd({ bytes: this.#bytes, lists: NO_LISTS }, start);
  }
}

/** After the closing quote, if the name that opens at `start` has these bytes; otherwise `WRONG`. */
function endOfName(bytes: Uint8Array, start: number, name: Uint8Array): number {
  const { length } = name;
  if (bytes[start + length + 1] !== QUOTE || bytes[start] !== QUOTE) return WRONG;
  for (let at = 0; at < length; at++) {
    if (bytes[start + 1 + at] !== name[at]) return WRONG;
  }
  return start + length + 2;
}
