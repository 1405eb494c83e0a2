import { SettingError } from '../../../lib/errors.ts';
import { isJsonObject } from '../../../lib/json/json-value.ts';

export interface TemplateScope {
  /** `Ref`: a resource or a pseudo parameter. */
  ref(name: string): string;
  getAttribute(logicalId: string, attribute: string): string;
}

export function resolve(value: unknown, scope: TemplateScope): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item, scope));
  if (!isJsonObject(value)) return refuseDynamicReference(value);
  const [only = '', ...others] = Object.keys(value);
  if (others.length === 0 && /^(Ref|Condition|Fn::.*)$/.test(only)) {
    const intrinsic = intrinsics[only];
    if (intrinsic !== undefined) return intrinsic(value[only], scope);
    const known = Object.keys(intrinsics).join(', ');
    const problem = `the local stack does not know the function ${only}; it knows ${known}`;
    throw new SettingError('template', problem);
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, resolve(member, scope)]),
  );
}

type Intrinsic = (argument: unknown, scope: TemplateScope) => string;

const intrinsics: Readonly<Record<string, Intrinsic>> = {
  Ref: (argument, scope) => scope.ref(textOf(argument, 'Ref')),
  'Fn::GetAtt': (argument, scope) => {
    const [logicalId, attribute, ...more] = Array.isArray(argument) ? argument : [];
    if (more.length > 0) throw misuse('Fn::GetAtt', argument);
    return scope.getAttribute(textOf(logicalId, 'Fn::GetAtt'), textOf(attribute, 'Fn::GetAtt'));
  },
  'Fn::Join': (argument, scope) => {
    const [delimiter, parts] = Array.isArray(argument) ? argument : [];
    if (!Array.isArray(parts)) throw misuse('Fn::Join', argument);
    return parts
      .map((part) => textOf(resolve(part, scope), 'Fn::Join'))
      .join(textOf(delimiter, 'Fn::Join'));
  },
  /** With pseudo parameters alone. */
  'Fn::Sub': (argument, scope) =>
    textOf(argument, 'Fn::Sub').replace(/\$\{([^}]*)\}/g, (_, name: string) => {
      if (!name.startsWith('AWS::')) throw misuse('Fn::Sub', argument);
      return scope.ref(name);
    }),
};

/** `{{resolve:…}}` is filled in by CloudFormation at deploy time, from stores that are not here. */
function refuseDynamicReference(value: unknown): unknown {
  if (typeof value !== 'string' || !value.includes('{{resolve:')) return value;
  throw new SettingError('template', `the local stack cannot resolve ${value}`);
}

function textOf(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw misuse(name, value);
}

function misuse(name: string, argument: unknown): SettingError {
  return new SettingError('template', `${name} cannot be applied to ${JSON.stringify(argument)}`);
}
