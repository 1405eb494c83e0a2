import { html, type Markup } from './markup.ts';

export interface TableColumn<Row> {
  readonly name: string;
  readonly cell: (row: Row) => string | Markup;
  /** `number`: at the right; `long`: may take several lines. @default 'text' */
  readonly kind?: 'text' | 'number' | 'long';
}

/** A table that scrolls sideways where it is too wide, by keys too. */
export function table<Row>(
  caption: string,
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
): Markup {
  const heads = columns.map(
    ({ name, kind = 'text' }) => html`<th scope="col" class="${kind}">${name}</th>`,
  );
  const lines = rows.map((row) => {
    const cells = columns.map(
      ({ cell, kind = 'text' }) => html`<td class="${kind}">${cell(row)}</td>`,
    );
    return html`<tr>${cells}</tr>`;
  });
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table><caption>${caption}</caption>
<thead><tr>${heads}</tr></thead><tbody>${lines}</tbody></table></div>`;
}

/** The same, opened by a click or a key where it is long. */
export function foldedTable<Row>(
  caption: string,
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
): Markup {
  const inner = table(caption, columns, rows);
  if (rows.length <= OPEN_ROWS) return inner;
  return html`<details><summary>${caption}</summary>${inner}</details>`;
}

const OPEN_ROWS = 12;
