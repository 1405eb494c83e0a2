import { CANCEL } from './cancel.ts';
import { CHANGES } from './changes.ts';
import type { Command } from './command.ts';
import { DOCTOR } from './doctor.ts';
import { DOWNLOAD } from './download.ts';
import { LIST } from './list.ts';
import { NEW_KEY } from './new-key.ts';
import { OPEN_GATE } from './open-gate.ts';
import { SCHEMA } from './schema.ts';
import { SETTLE } from './settle.ts';
import { SHOW } from './show.ts';
import { SIMULATE } from './simulate.ts';
import { START } from './start.ts';
import { TRY } from './try.ts';
import { WATCH } from './watch.ts';

export const COMMANDS: readonly Command[] = [
  DOCTOR,
  TRY,
  SIMULATE,
  START,
  WATCH,
  LIST,
  SHOW,
  CANCEL,
  DOWNLOAD,
  CHANGES,
  SCHEMA,
  OPEN_GATE,
  SETTLE,
  NEW_KEY,
];
