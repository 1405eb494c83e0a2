import type { ApiKey } from '../../lib/key/api-key.ts';
import { KeyRedactor, type Redact } from '../../lib/key/redaction.ts';
import { createLog } from './log.ts';

/** The keys that this process has read, so that nothing it writes can show one. */
export interface LiveKeys {
  /** @param version Of the secret: the same one is taken in once. */
  add(connection: string, version: string, key: ApiKey): void;
  readonly redact: Redact;
}

/** Keys are never dropped: a version that was replaced may still turn up in a late error. */
export function createLiveKeys(): LiveKeys {
  const known = new Set<string>();
  const redactor = new KeyRedactor();
  return {
    add: (connection, version, key) => {
      const id = `${connection} ${version}`;
      if (known.has(id)) return;
      known.add(id);
      redactor.add(key);
    },
    redact: redactor.redact,
  };
}

/** One for the process: whoever reads a key and whoever writes a line know of each other. */
export const liveKeys = createLiveKeys();

/** Its lines show none of the keys that this process has read. */
export const processLog = createLog({ redact: liveKeys.redact });
