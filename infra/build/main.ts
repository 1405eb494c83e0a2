// `npm run build`: what the package has besides its compiled sources.
import { freshBundles } from './fresh-bundles.ts';

await freshBundles();
