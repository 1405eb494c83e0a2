import type { Widget } from './dashboard-body.ts';

/** Of one cell of CloudWatch's grid, in pixels: a width that a title fits in. */
const CELL = { width: 44, height: 34 };
const COLUMNS = 24;
const GAP = 4;
const LINE_HEIGHT = 15;
const COLORS = ['#1f77b4', '#d62728', '#ff7f0e', '#2ca02c', '#9467bd', '#8c564b'];

/** The layout of a dashboard as SVG: what is where, with invented curves in place of data. */
export function dashboardPicture(widgets: readonly Widget[]): string {
  const rows = Math.max(...widgets.map(({ y, height }) => y + height));
  const width = COLUMNS * CELL.width;
  const height = rows * CELL.height;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="Helvetica, Arial, sans-serif" font-size="12">`,
    '<title>Layout of the dashboard; the curves are no data</title>',
    `<rect width="${width}" height="${height}" fill="#f2f3f3"/>`,
    ...widgets.flatMap(widgetPicture),
    '</svg>',
    '',
  ].join('\n');
}

function widgetPicture(widget: Widget): readonly string[] {
  const left = widget.x * CELL.width + GAP;
  const top = widget.y * CELL.height + GAP;
  const width = widget.width * CELL.width - 2 * GAP;
  const height = widget.height * CELL.height - 2 * GAP;
  return [
    `<g transform="translate(${left} ${top})">`,
    `<rect width="${width}" height="${height}" rx="6" fill="#fff" stroke="#d5dbdb"/>`,
    text(12, 21, widget.title, 'font-weight="bold"'),
    ...CONTENT[widget.kind](widget, width, height),
    '</g>',
  ];
}

type Draw = (widget: Widget, width: number, height: number) => readonly string[];

const CONTENT: Readonly<Record<Widget['kind'], Draw>> = { numbers, graph, table };

function numbers({ labels }: Widget, width: number, height: number): readonly string[] {
  const share = Math.floor((width - 24) / labels.length);
  return labels.flatMap((label, index) => [
    text(12 + index * share, height - 36, '0', 'font-size="26"'),
    text(12 + index * share, height - 14, label, 'fill="#545b64"'),
  ]);
}

function graph({ labels }: Widget, width: number, height: number): readonly string[] {
  const legendTop = height - labels.length * LINE_HEIGHT;
  const bottom = legendTop - 14;
  const top = 34;
  return [
    `<path d="M12 ${top}V${bottom}H${width - 12}" fill="none" stroke="#aab7b8"/>`,
    ...labels.flatMap((label, index) => {
      const color = COLORS[index % COLORS.length];
      const y = legendTop + index * LINE_HEIGHT + 4;
      return [
        `<path d="${curve(index, top, bottom, width)}" fill="none" stroke="${color}" stroke-width="1.5"/>`,
        `<rect x="12" y="${y - 9}" width="9" height="9" fill="${color}"/>`,
        text(27, y, label, 'fill="#545b64"'),
      ];
    }),
  ];
}

/** A curve of its own for each index. */
function curve(index: number, top: number, bottom: number, width: number): string {
  const steps = 12;
  const points = Array.from({ length: steps + 1 }, (_, step) => {
    const x = Math.round(12 + (step * (width - 24)) / steps);
    const share = 0.5 + 0.4 * Math.sin(step * 0.9 + index * 1.7);
    const y = Math.round(bottom - 3 - (share * (bottom - top - 8)) / (1 + index * 0.4));
    return `${x} ${y}`;
  });
  return `M${points.join('L')}`;
}

function table({ labels }: Widget, width: number, height: number): readonly string[] {
  const rows = Math.floor((height - 40) / 22);
  const share = Math.floor((width - 24) / labels.length);
  return [
    ...labels.map((label, index) => text(12 + index * share, 46, label, 'fill="#545b64"')),
    ...Array.from(
      { length: rows },
      (_, row) => `<path d="M12 ${54 + row * 22}H${width - 12}" stroke="#eaeded"/>`,
    ),
  ];
}

function text(x: number, y: number, content: string, attributes: string): string {
  const safe = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x}" y="${y}" ${attributes}>${safe}</text>`;
}
