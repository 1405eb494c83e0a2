import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cdkApp } from './product.ts';
import { runNode } from './run-node.ts';

/**
 * Runs the app as the CDK's command line does, which only adds paths of constructs and its own statistics.
 *
 * @param context Of the CDK.
 * @param directory Gets the cloud assembly.
 */
export async function synthesize(context: object, directory: string): Promise<void> {
  const { code, stderr } = await runNode(cdkApp().command, {
    CDK_OUTDIR: directory,
    CDK_CONTEXT_JSON: JSON.stringify(context),
  });
  if (code !== 0) throw new Error(`The app was not synthesized:\n${stderr}`);
}

/** The one template of an assembly, and its name. */
export function templateIn(directory: string): { readonly name: string; readonly text: string } {
  const names = readdirSync(directory).filter((each) => each.endsWith('.template.json'));
  const [name] = names;
  if (name === undefined || names.length > 1) throw new Error(`templates: ${names.join(', ')}`);
  return { name, text: readFileSync(join(directory, name), 'utf8') };
}
