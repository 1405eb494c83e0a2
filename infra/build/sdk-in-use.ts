import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { ROOT } from './root.ts';

const EVENT_STREAMS = join(ROOT, 'functions/aws/no-event-streams.ts');

/**
 * Leaves out of a bundle what the clients of AWS hold beside the calls that a function makes: a tenth of it, all of
 * which V8 reads whenever the function starts.
 *
 * - **Streams of events**, which no call of ours has. The SDK imports them when one comes, and what is imported that
 *   way esbuild keeps whole, with all that it refers to.
 * - **Shapes of other calls.** They name the places of members by constants (`{ [_hQ]: _uI }`), and such a name might
 *   run code when it is made a text, so esbuild keeps them. With the text itself in its place they go.
 * - **The package.json of each client**, of which only the version is read.
 * - **Advice how to install the signer of requests to many regions at once**, of which we make none.
 */
export const sdkInUse: Plugin = {
  name: 'sdk-in-use',
  setup(build) {
    build.onResolve({ filter: /^@smithy\/core\/event-streams$/ }, () => ({ path: EVENT_STREAMS }));
    build.onLoad({ filter: /\/client-[^/]+\/dist-es\/schemas\/[^/]+\.js$/ }, async ({ path }) => ({
      contents: withPlainNames(await readFile(path, 'utf8')),
    }));
    build.onLoad({ filter: /\/@aws-sdk\/client-[^/]+\/package\.json$/ }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, 'utf8'));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
    build.onLoad({ filter: /\/SignatureV4MultiRegion\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(
        /new Error\([\s\S]*?\);$/gm,
        'new Error("There is no signer of requests to many regions at once.");',
      ),
    }));
  },
};

/** Members of object literals that are named by a constant of the same file, named by its text. */
function withPlainNames(source: string): string {
  const constants = [...source.matchAll(/^const (\w+) = ("[^"\\]*");$/gm)];
  const texts = new Map(constants.map(([, name, text]) => [name, text]));
  return source.replace(
    /(?<=[{,]\s*)\[(\w+)\](?=:)/g,
    (member, name: string) => texts.get(name) ?? member,
  );
}
