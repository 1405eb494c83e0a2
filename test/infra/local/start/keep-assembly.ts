import { ASSEMBLY_CACHE, keptAssembly } from '../../../../infra/local/start/kept-assembly.ts';
import { servedOperations } from '../../../../infra/local/start/served-operations.ts';
import { parseStartOptions } from '../../../../infra/local/start/start-options.ts';
import { ADDRESS_IN_SECRET, stackContext } from '../../../../infra/local/start/synthesize.ts';
import { synthesizeStack } from '../whole-stack/assembly.ts';

/** Puts the stack of such a run where it looks for one that is kept: its synthesis takes a process of its own. */
export async function keepAssembly(args: readonly string[]): Promise<void> {
  const options = parseStartOptions(args);
  if (options === 'help') throw new Error('help needs no stack');
  const { operations } = await servedOperations(options);
  const { context } = stackContext(options, { baseUrl: ADDRESS_IN_SECRET, operations });
  await keptAssembly(ASSEMBLY_CACHE, context, async (folder) => synthesizeStack(context, folder));
}
