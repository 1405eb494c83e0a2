import type { Command } from './command.ts';
import { DOCTOR } from './doctor.ts';
import { SIMULATE } from './simulate.ts';
import { TRY } from './try.ts';

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [DOCTOR, TRY, SIMULATE];
