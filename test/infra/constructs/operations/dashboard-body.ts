import * as v from 'valibot';

const MetricSchema = v.array(v.unknown());
const LabelSchema = v.object({ label: v.string() });

const WidgetSchema = v.object({
  type: v.string(),
  x: v.number(),
  y: v.number(),
  width: v.number(),
  height: v.number(),
  properties: v.object({
    title: v.string(),
    view: v.string(),
    metrics: v.optional(v.array(MetricSchema), []),
    query: v.optional(v.string()),
  }),
});

const BodySchema = v.pipe(v.string(), v.parseJson(), v.object({ widgets: v.array(WidgetSchema) }));

/** A widget in CloudWatch's grid of 24 columns. */
export interface Widget {
  readonly kind: 'numbers' | 'graph' | 'table';
  readonly title: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Of what it shows, in order; of a table its columns. */
  readonly labels: readonly string[];
}

/**
 * The widgets of a `DashboardBody` as a template has it (CloudWatch API reference, "Dashboard body
 * structure and syntax").
 *
 * @param body A text, or the intrinsic functions that make one; what they refer to does not matter.
 */
export function widgetsOf(body: unknown): readonly Widget[] {
  return v.parse(BodySchema, textOf(body)).widgets.map(({ type, properties, ...place }) => ({
    ...place,
    kind: type === 'log' ? 'table' : properties.view === 'singleValue' ? 'numbers' : 'graph',
    title: properties.title,
    labels:
      properties.query === undefined
        ? properties.metrics.flatMap(labelOf)
        : columnsOf(properties.query),
  }));
}

/** Logs Insights shows what it groups by, then each result by its name. */
function columnsOf(query: string): readonly string[] {
  const [, stats = '', groups = ''] = /\bstats (.*?) by ([\w, ]+)/.exec(query) ?? [];
  const results = [...stats.matchAll(/ as (\w+)/g)].map(([, name = '']) => name);
  return [...groups.split(',').map((name) => name.trim()), ...results];
}

/** The last of a metric's members are its options; those that only feed an expression have no label. */
function labelOf(metric: readonly unknown[]): readonly string[] {
  const options = v.safeParse(LabelSchema, metric.at(-1));
  const isHidden = Reflect.get(Object(metric.at(-1)), 'visible') === false;
  return options.success && !isHidden ? [options.output.label] : [];
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const join: unknown = Reflect.get(Object(value), 'Fn::Join');
  if (!Array.isArray(join)) return 'reference';
  return join[1].map(textOf).join(join[0]);
}
