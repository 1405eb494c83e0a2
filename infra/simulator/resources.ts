interface Resource {
  /** Values of the query parameter `status`. @default - the parameter is ignored, as real APIs do */
  readonly statuses?: readonly string[];
  /** Those that a request without `status` does not get. */
  readonly hidden?: readonly string[];
}

/** Every resource of the API, by its name under `/2.0/`. */
const RESOURCES = {
  customers: {},
  invoices: { statuses: ['open', 'paid', 'void', 'draft'] },
  subscriptions: { statuses: ['active', 'paused', 'canceled'], hidden: ['canceled'] },
} as const satisfies Readonly<Record<string, Resource>>;

export type ResourceName = keyof typeof RESOURCES;

export function isResource(name: string): name is ResourceName {
  return Object.hasOwn(RESOURCES, name);
}

export const RESOURCE_NAMES = Object.keys(RESOURCES).filter(isResource);

/** Which records a request asks for: those with one of these statuses; `undefined`: all. */
export type Selection = ReadonlySet<string> | undefined;

/**
 * Reads `status`: one of the statuses, or `all`.
 *
 * @param status As in the query; `undefined` without it.
 * @returns What may be asked for, when this is none of it.
 */
export function selectionOf(
  resource: ResourceName,
  status: string | undefined,
): { readonly selection: Selection } | { readonly expected: readonly string[] } {
  const { statuses, hidden = [] }: Resource = RESOURCES[resource];
  if (statuses === undefined || status === 'all') return { selection: undefined };
  if (status === undefined) {
    const shown = statuses.filter((each) => !hidden.includes(each));
    return { selection: hidden.length === 0 ? undefined : new Set(shown) };
  }
  return statuses.includes(status)
    ? { selection: new Set([status]) }
    : { expected: [...statuses, 'all'] };
}
