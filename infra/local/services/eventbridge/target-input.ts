import { SettingError } from '../../../../lib/errors.ts';

/** How a rule shapes what its target gets; at most one of the three. */
export interface InputShape {
  /** A constant. */
  readonly input?: string | undefined;
  /** A JSON path into the event. */
  readonly inputPath?: string | undefined;
  readonly transformer?:
    | { readonly paths: Readonly<Record<string, string>>; readonly template: string }
    | undefined;
}

/** Variables of every template (EventBridge user guide, "Amazon EventBridge input transformation"). */
export interface RuleVariables {
  readonly ruleArn: string;
  readonly ruleName: string;
  readonly ingestionTime: string;
}

/** The text that a target gets for an event. */
export function targetInput(shape: InputShape, event: unknown, rule: RuleVariables): string {
  if (shape.input !== undefined) return shape.input;
  if (shape.inputPath !== undefined) return JSON.stringify(valueAt(event, shape.inputPath) ?? null);
  if (shape.transformer === undefined) return JSON.stringify(event);
  const { paths, template } = shape.transformer;
  const variables: Readonly<Record<string, unknown>> = {
    'aws.events.rule-arn': rule.ruleArn,
    'aws.events.rule-name': rule.ruleName,
    'aws.events.event.ingestion-time': rule.ingestionTime,
    'aws.events.event.json': event,
    'aws.events.event': event,
    ...Object.fromEntries(
      Object.entries(paths).map(([name, path]) => [name, valueAt(event, path)] as const),
    ),
  };
  return fill(template, variables);
}

/**
 * Fills in `<name>`. Inside a JSON string a text is put in without quotes; elsewhere any value as JSON.
 * A value that the event does not have leaves nothing inside a string and `null` elsewhere.
 */
function fill(template: string, variables: Readonly<Record<string, unknown>>): string {
  let inString = false;
  return template.replace(/\\.|"|<([A-Za-z0-9_.-]+)>/g, (found, name: string | undefined) => {
    if (name === undefined) {
      if (found === '"') inString = !inString;
      return found;
    }
    if (!(name in variables)) return found;
    const value = variables[name];
    if (!inString) return JSON.stringify(value ?? null);
    if (value === undefined) return '';
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return JSON.stringify(text).slice(1, -1);
  });
}

/** `$`, `$.detail.id`, `$.resources[0]`, `$.detail['a-b']`. */
function valueAt(event: unknown, path: string): unknown {
  const steps = [...path.slice(1).matchAll(/\.([^.[\]]+)|\[(\d+)\]|\['([^']+)'\]/g)];
  const read = steps.map(([whole]) => whole).join('');
  if (!path.startsWith('$') || read !== path.slice(1)) {
    throw new SettingError('InputPath', `the local stack cannot read the JSON path ${path}`);
  }
  return steps.reduce<unknown>((value, [, dotted, index, quoted]) => {
    const key = dotted ?? index ?? quoted ?? '';
    if (typeof value !== 'object' || value === null) return undefined;
    return Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
  }, event);
}
