const { transformSync } = require('esbuild');

module.exports = {
  process: (source) => ({ code: transformSync(source, { format: 'cjs', loader: 'ts' }).code }),
};
