import type { Server } from 'node:http';
import { Readable } from 'node:stream';
import dynalite from 'dynalite';
import type { JsonAnswer } from '../../endpoint/json-service.ts';

export type DynaliteEngine = ReturnType<typeof startDynalite>;

/** The actions that only read items. */
export const READS: ReadonlySet<string> = new Set(['GetItem', 'Query', 'Scan']);

/** The dynalite engine for Amazon DynamoDB. It runs inside this process and opens no port. */
export function startDynalite() {
  const server: Server = dynalite({ createTableMs: 0 });
  let writes = 0;
  return {
    /** How many calls so far may have changed an item; grows when one of them is answered. */
    get writes(): number {
      return writes;
    },
    call: (action: string, parameters: unknown) =>
      new Promise<JsonAnswer>((resolve) => {
        // dynalite reads these members of a request and writes these of a response.
        const request = Object.assign(Readable.from([Buffer.from(JSON.stringify(parameters))]), {
          method: 'POST',
          url: '/',
          headers: {
            'content-type': 'application/x-amz-json-1.0',
            'x-amz-target': `DynamoDB_20120810.${action}`,
            'x-amz-date': '20260101T000000Z',
            authorization: 'AWS4-HMAC-SHA256 Credential=local, SignedHeaders=host, Signature=local',
          },
        });
        const response = {
          statusCode: 200,
          setHeader: () => {},
          end: (body: string) => {
            if (!READS.has(action)) writes += 1;
            resolve({ status: response.statusCode, body });
          },
        };
        server.emit('request', request, response);
      }),
  };
}
