import { KeyRedactor } from '../../lib/key/redaction.ts';
import { createLog } from './log.ts';

/**
 * The keys that this process has read, so that nothing it writes can show one: one for the process, since whoever reads
 * a key and whoever writes a line know of each other. Keys are never dropped: a version that was replaced may still turn
 * up in a late error.
 */
export const liveKeys = new KeyRedactor();

/** Its lines show none of the keys that this process has read. */
export const processLog = createLog({ redact: liveKeys.redact });
