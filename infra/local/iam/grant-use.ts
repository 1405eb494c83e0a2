import type { Statement } from './statement.ts';
import { wildcard } from './wildcard.ts';

export interface Grant {
  readonly place: string;
  /** As the statement names it. */
  readonly action: string;
  /** Whether a call has needed it so far. */
  readonly used: boolean;
}

export function createGrantUse() {
  const declared: Statement[] = [];
  const usedActions = new Map<Statement, Set<string>>();

  return {
    declare(statements: readonly Statement[]): void {
      declared.push(...statements.filter(({ effect }) => effect === 'Allow'));
    },
    used(statements: readonly Statement[], action: string): void {
      for (const statement of statements) {
        const actions = usedActions.get(statement) ?? new Set();
        usedActions.set(statement, actions.add(action));
      }
    },
    grants: (): readonly Grant[] =>
      declared.flatMap((statement) => {
        const actions = [...(usedActions.get(statement) ?? [])];
        return statement.actions.map((action) => ({
          place: statement.place,
          action,
          used: actions.some(wildcard(action, 'i')),
        }));
      }),
  };
}
