import { CommandError } from '../command-error.ts';

export interface DescribedStack {
  readonly name: string;
  readonly outputs: Readonly<Record<string, string>>;
}

export interface Integration {
  readonly stack: string;
  readonly id: string;
  /** An output of it by its own name, such as `HttpApiUrl`. */
  readonly output: (name: string) => string | undefined;
}

export interface WantedIntegration {
  readonly stack: string | undefined;
  readonly integration: string | undefined;
}

const ID = 'IntegrationId';
/** Every integration has these outputs besides. */
const ALSO = ['SecretPrefix', 'LedgerTableName', 'ExportBucketName'];

/**
 * Finds every integration of some stacks. All its outputs begin as the one that holds its id; another stack may have an
 * output of that name too, and is none.
 */
export function integrationsIn(stacks: readonly DescribedStack[]): readonly Integration[] {
  return stacks.flatMap(({ name: stack, outputs }) =>
    Object.entries(outputs).flatMap(([name, id]) => {
      if (!name.endsWith(ID)) return [];
      const output = (own: string) => outputs[name.slice(0, -ID.length) + own];
      return ALSO.some((own) => output(own) === undefined) ? [] : [{ stack, id, output }];
    }),
  );
}

/** The one that is meant. @throws CommandError when there is none or more than one, naming what to add. */
export function chosenIntegration(
  found: readonly Integration[],
  { stack, integration }: WantedIntegration,
): Integration {
  const fitting = found.filter(
    (each) =>
      (stack === undefined || each.stack === stack) &&
      (integration === undefined || each.id === integration),
  );
  const [only, ...others] = fitting;
  if (only !== undefined && others.length === 0) return only;
  if (found.length === 0) throw new CommandError(NONE);
  const listed = (fitting.length === 0 ? found : fitting).map(
    (each) => `  --stack ${each.stack} --integration ${each.id}`,
  );
  const problem =
    only === undefined
      ? 'No integration fits. There are:'
      : `There are ${fitting.length} integrations. Say which one, by adding one of:`;
  throw new CommandError([problem, ...listed].join('\n'));
}

const NONE =
  'No integration was found in this account and region. Check --region and --profile, and --stack where its outputs are in a nested stack; an integration with outputs: false cannot be found.';
