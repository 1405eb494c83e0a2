/** Text of an HTML document. Only {@link html} makes it, which escapes what is put into it. */
export interface Markup {
  readonly markup: string;
}

/** A heading with what belongs to it; `undefined` when nothing is known of it. */
export type Section = Markup | undefined;

type Part = string | number | Markup | undefined | readonly Part[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes texts and numbers, between tags and in quoted attributes; puts lists together; leaves out `undefined`. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const rest = texts.slice(1).map((text, index) => textOf(parts[index]) + text);
  return { markup: (texts[0] ?? '') + rest.join('') };
}

export function section(title: string, content: Markup): Markup {
  return html`<section><h2>${title}</h2>${content}</section>`;
}

function textOf(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return part.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');
  return 'markup' in part ? part.markup : part.map(textOf).join('');
}
