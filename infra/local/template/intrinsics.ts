import { SettingError } from '../../../lib/errors.ts';

/** What `Ref: AWS::NoValue` stands for: the member that holds it is left out. */
export const NO_VALUE: unique symbol = Symbol('AWS::NoValue');

/** What the intrinsic functions look up. */
export interface TemplateScope {
  /** `Ref`: a resource, a parameter or a pseudo parameter. */
  ref(name: string): unknown;
  getAttribute(logicalId: string, attribute: string): unknown;
  condition(name: string): boolean;
  findInMap(map: string, topLevelKey: string, secondLevelKey: string): unknown;
}

type Intrinsic = (argument: unknown, scope: TemplateScope) => unknown;

/** Applies every intrinsic function in a template value, deeply. */
export function resolve(value: unknown, scope: TemplateScope): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => resolve(item, scope)).filter((item) => item !== NO_VALUE);
  }
  if (!isObject(value)) return refuseDynamicReference(value);
  const [only, ...others] = Object.keys(value);
  if (only !== undefined && others.length === 0 && isIntrinsicName(only)) {
    const intrinsic = intrinsics[only];
    if (intrinsic === undefined) {
      throw new SettingError('template', `the local stack does not know the function ${only}`);
    }
    return intrinsic(value[only], scope);
  }
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, member]) => [key, resolve(member, scope)] as const)
      .filter(([, member]) => member !== NO_VALUE),
  );
}

/** Evaluates a condition, or an operand of `Fn::And`, `Fn::Or` and `Fn::Not`. */
export function resolveCondition(value: unknown, scope: TemplateScope): boolean {
  const result = resolve(value, scope);
  if (typeof result === 'boolean') return result;
  throw new SettingError('template', `a condition is true or false, got ${JSON.stringify(result)}`);
}

const intrinsics: Readonly<Record<string, Intrinsic>> = {
  Ref: (argument, scope) => scope.ref(text(argument, 'Ref')),
  Condition: (argument, scope) => scope.condition(text(argument, 'Condition')),
  'Fn::GetAtt': (argument, scope) => {
    const [logicalId = '', ...attribute] =
      typeof argument === 'string' ? argument.split('.') : texts(argument, scope, 'Fn::GetAtt');
    return scope.getAttribute(logicalId, attribute.join('.'));
  },
  'Fn::Join': (argument, scope) => {
    const [delimiter, parts] = list(argument, 'Fn::Join');
    return texts(parts, scope, 'Fn::Join').join(text(delimiter, 'Fn::Join'));
  },
  'Fn::Sub': substitute,
  'Fn::Select': (argument, scope) => {
    const [index, from] = list(argument, 'Fn::Select');
    const items = list(resolve(from, scope), 'Fn::Select');
    const item = items[Number(resolve(index, scope))];
    if (item === undefined) throw misuse('Fn::Select', argument);
    return item;
  },
  'Fn::Split': (argument, scope) => {
    const [delimiter, source] = list(argument, 'Fn::Split');
    return text(resolve(source, scope), 'Fn::Split').split(text(delimiter, 'Fn::Split'));
  },
  'Fn::If': (argument, scope) => {
    const [name, whenTrue, whenFalse] = list(argument, 'Fn::If');
    return resolve(scope.condition(text(name, 'Fn::If')) ? whenTrue : whenFalse, scope);
  },
  'Fn::Equals': (argument, scope) => {
    const [left, right] = list(resolve(argument, scope), 'Fn::Equals');
    return JSON.stringify(left) === JSON.stringify(right);
  },
  'Fn::Not': (argument, scope) => !resolveCondition(list(argument, 'Fn::Not')[0], scope),
  'Fn::And': (argument, scope) =>
    list(argument, 'Fn::And').every((operand) => resolveCondition(operand, scope)),
  'Fn::Or': (argument, scope) =>
    list(argument, 'Fn::Or').some((operand) => resolveCondition(operand, scope)),
  'Fn::FindInMap': (argument, scope) => {
    const [map = '', top = '', second = ''] = texts(argument, scope, 'Fn::FindInMap');
    return scope.findInMap(map, top, second);
  },
};

/** `${Name}`, `${Id.Attribute}`, `${!Literal}`; the two-element form brings its own variables. */
function substitute(argument: unknown, scope: TemplateScope): string {
  const [template, variables] = Array.isArray(argument) ? argument : [argument, {}];
  const own = isObject(variables) ? variables : {};
  return text(template, 'Fn::Sub').replace(
    /\$\{(!?)([^}]+)\}/g,
    (_, literal: string, name: string) => {
      if (literal !== '') return `\${${name}}`;
      const key = name.trim();
      if (key in own) return text(resolve(own[key], scope), 'Fn::Sub');
      const dot = key.indexOf('.');
      const value =
        dot < 0 ? scope.ref(key) : scope.getAttribute(key.slice(0, dot), key.slice(dot + 1));
      return text(value, 'Fn::Sub');
    },
  );
}

/** `{{resolve:…}}` is filled in by CloudFormation at deploy time, from stores that are not here. */
function refuseDynamicReference(value: unknown): unknown {
  if (typeof value !== 'string' || !value.includes('{{resolve:')) return value;
  throw new SettingError('template', `the local stack cannot resolve ${value}`);
}

function isIntrinsicName(key: string): boolean {
  return key === 'Ref' || key === 'Condition' || key.startsWith('Fn::');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw misuse(name, value);
}

function list(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw misuse(name, value);
}

function texts(value: unknown, scope: TemplateScope, name: string): readonly string[] {
  return list(resolve(value, scope), name).map((item) => text(item, name));
}

function misuse(name: string, argument: unknown): SettingError {
  return new SettingError('template', `${name} cannot be applied to ${JSON.stringify(argument)}`);
}
