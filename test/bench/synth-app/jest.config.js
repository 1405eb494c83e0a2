// As `cdk init` writes it, but for the transform: these tests need none.
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.js'],
  transform: {},
  setupFilesAfterEnv: ['aws-cdk-lib/testhelpers/jest-autoclean'],
};
