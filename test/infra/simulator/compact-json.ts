/** Valid JSON without white space between its tokens (RFC 8259 section 2). */
export function compactJson(json: string): string {
  return json.match(/"(?:[^"\\]|\\.)*"|[^\s"]+/g)?.join('') ?? '';
}
