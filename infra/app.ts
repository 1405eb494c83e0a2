import { App } from 'aws-cdk-lib';
import { SettingError } from '../lib/errors.ts';
import { freshBundles } from './build/fresh-bundles.ts';
import { CustomersStack } from './customers-stack.ts';
import { addNagPacks } from './nag.ts';
import { inFile, takeSettingsFile } from './settings/settings-file.ts';

await freshBundles();

let file: string | undefined;
try {
  // By itself the CDK would synthesize at the end of the process, after a wrong setting too.
  const app = new App({ autoSynth: false });
  file = takeSettingsFile(app);
  // No account and region: the stack goes where the credentials at hand belong.
  new CustomersStack(app, 'CustomersFunctions');
  addNagPacks(app);
  app.synth();
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  process.stderr.write(`${inFile(error, file)}\n`);
  process.exitCode = 1;
}
