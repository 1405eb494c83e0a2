import { createLiveKeys } from './live-keys.ts';
import { createLog } from './log.ts';

/** One for the process: whoever reads a key and whoever writes a line know of each other. */
export const liveKeys = createLiveKeys();

/** Its lines show none of the keys that this process has read. */
export const processLog = createLog({ redact: liveKeys.redact });
