declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** Makes a DynamoDB that answers HTTP requests; in memory without a path. */
  function dynalite(options?: { readonly createTableMs?: number }): Server;
  export = dynalite;
}
