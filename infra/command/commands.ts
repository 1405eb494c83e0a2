import type { Command } from './command.ts';
import { SIMULATE } from './simulate.ts';
import { TRY } from './try.ts';

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [TRY, SIMULATE];
