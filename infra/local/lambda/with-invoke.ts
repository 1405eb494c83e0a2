import type { FunctionHost } from './function-host.ts';

/** The same host with something before or instead of an invocation. */
export function withInvoke(host: FunctionHost, invoke: FunctionHost['invoke']): FunctionHost {
  return {
    ...host,
    get running() {
      return host.running;
    },
    invoke,
  };
}
