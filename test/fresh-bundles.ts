import { freshBundles } from '../infra/build/fresh-bundles.ts';

/** jest calls it once, before all suites: constructs take the code of their functions from the bundles. */
export default () => freshBundles();
