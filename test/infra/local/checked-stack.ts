import {
  type LocalStack,
  type LocalStackOptions,
  startLocalStack,
} from '../../../infra/local/local-stack.ts';

/**
 * A stack on this machine whose roles must have allowed all that was done.
 *
 * @returns Its `stop` fails, once everything has ended, when a call was refused.
 */
export async function startCheckedStack(options: LocalStackOptions): Promise<LocalStack> {
  const stack = await startLocalStack(options);
  return {
    ...stack,
    stop: async () => {
      await stack.stop();
      if (stack.denied.length === 0) return;
      const messages = new Set(stack.denied.map(({ message }) => message));
      throw new Error(`The roles of the template do not allow:\n${[...messages].join('\n')}`);
    },
  };
}
