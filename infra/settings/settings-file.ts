import { existsSync, readFileSync } from 'node:fs';
import type { App } from 'aws-cdk-lib';
import { SettingError } from '../../lib/errors.ts';
import { isJsonObject } from '../../lib/json/json-value.ts';
import { parseGiven } from '../../lib/json/parse-given.ts';
import { CONTEXT_KEY } from './customers-settings.ts';
import { jsonProblem } from './json-problem.ts';

/** The user's own file, which Git ignores: updates of this project do not touch it. */
const SETTINGS_FILE = 'customers.settings.json';

/** Context that names another file, such as `npx cdk deploy -c settings=prod.settings.json`. */
const FILE_CONTEXT = 'settings';

const EXAMPLE = 'docs/examples/customers.settings.json';

/**
 * Gives the app the settings of the user's own file as its context, unless the context has them already, as by
 * `cdk -c` or in a `cdk.json`.
 *
 * @returns The file that was read; `undefined` when the context has the settings.
 * @throws SettingError naming the file when there is none, or when it holds no JSON object.
 */
export function takeSettingsFile(app: App): string | undefined {
  if (app.node.tryGetContext(CONTEXT_KEY) !== undefined) return undefined;
  const named: unknown = app.node.tryGetContext(FILE_CONTEXT);
  const file = typeof named === 'string' ? named : SETTINGS_FILE;
  const text = textOf(file);
  const settings = parseGiven(text, file);
  if (!isJsonObject(settings)) {
    const problem = jsonProblem(text) ?? 'it holds another JSON value than an object';
    throw new SettingError(file, `${problem}. Expected a JSON object such as in ${EXAMPLE}`);
  }
  app.node.setContext(CONTEXT_KEY, settings);
  return file;
}

function textOf(file: string): string {
  if (!existsSync(file)) {
    throw new SettingError(
      file,
      `there is no such file. It holds your settings: cp ${EXAMPLE} ${file}, and set baseUrl in it`,
    );
  }
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new SettingError(file, 'cannot be read: expected a file that you may read');
  }
}

/** The same problem by the file that a person has to edit. */
export function inFile(error: SettingError, file: string | undefined): string {
  const { setting, message } = error;
  if (file === undefined || !setting.startsWith(CONTEXT_KEY)) return message;
  const place = setting.slice(CONTEXT_KEY.length).replace(/^\./, ', ');
  return error.at(`${file}${place}`).message;
}
