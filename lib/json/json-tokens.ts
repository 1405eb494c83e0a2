// Constants alone in a file are written into the code that uses them when the functions are bundled, which makes
// the scanner faster: esbuild leaves those beside an import as variables.

/** The bytes that give a JSON text its structure (RFC 8259 section 2). */
export const TAB = 0x09;
export const LINE_FEED = 0x0a;
export const CARRIAGE_RETURN = 0x0d;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_ARRAY = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

/** The bytes of numbers and of escapes (sections 6 and 7). */
export const PLUS = 0x2b;
export const MINUS = 0x2d;
export const POINT = 0x2e;
export const ZERO = 0x30;
export const NINE = 0x39;
export const LOWER_A = 0x61;
export const LOWER_E = 0x65;
export const LOWER_F = 0x66;
export const LOWER_U = 0x75;

/** Instead of a position where there is no JSON. */
export const WRONG = -1;

/** Where no bracket is open, or no list has begun. */
export const NONE = 0;
