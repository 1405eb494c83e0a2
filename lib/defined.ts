type Defined<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * The same object without members that are `undefined`, in the same order: stored and sent JSON has no such
 * member, and with `exactOptionalPropertyTypes` an optional member is absent or has a value.
 */
export function defined<const T extends object>(members: T): Defined<T>;
export function defined(members: object): object {
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) copy[name] = value;
  return copy;
}
