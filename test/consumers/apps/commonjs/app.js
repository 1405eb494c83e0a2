const { SettingError } = require('customers-functions');
const { customersClient } = require('customers-functions/lambda');
const { startSimulator } = require('customers-functions/testing');

/** A wrong option is an error of the class that the other entry exports. */
function isSharedError() {
  try {
    customersClient({ connection: 'Not a name' });
  } catch (error) {
    return error instanceof SettingError;
  }
}

(async () => {
  const simulator = await startSimulator({ customers: 3 });
  await simulator.close();
  process.stdout.write(JSON.stringify({ isSharedError: isSharedError(), url: simulator.url }));
})();
