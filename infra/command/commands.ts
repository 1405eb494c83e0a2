import type { Command } from './command.ts';

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [];
