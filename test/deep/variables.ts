/** `deep`, or not there in `npm test`. */
export const DEPTH_VARIABLE = 'TEST_DEPTH';
/** The only seed to be tried. */
export const SEED_VARIABLE = 'TEST_SEED';
/** The file to which every test adds what it has tried: a JSON array of name and count a line. */
export const COUNTS_VARIABLE = 'TEST_COUNTS';
