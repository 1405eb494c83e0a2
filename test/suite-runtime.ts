import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
// By `require`, since its types and its ESM disagree about what the default export is.
const { default: JestRuntime }: typeof import('jest-runtime') = require('jest-runtime');

/** Packages in CommonJS that take nothing from a suite: no variable of its environment, no class to compare with. */
const SHARED = /\/node_modules\/(aws-cdk-lib|cdk-nag|constructs|dynalite)\//;

// The CDK would check each template against CloudFormation's rules, which takes ten times as long as all
// else of a synthesis. `npm run synth` does it for the stack that is deployed.
process.env['CDK_VALIDATION'] = 'false';

/**
 * jest's runtime of one suite. By itself jest loads every package anew for every suite and never lets go of all
 * of it; here the large ones are loaded once a worker, by Node. What is ours stays new in every suite.
 */
export default class SuiteRuntime extends JestRuntime {
  override requireModuleOrMock<T = unknown>(from: string, moduleName: string): T {
    return SHARED.test(moduleName)
      ? require(moduleName)
      : super.requireModuleOrMock<T>(from, moduleName);
  }
}
