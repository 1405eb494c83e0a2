import type { ClientPorts } from '../../lib/exports/ports.ts';
import { type ClientServices, createClientServices } from './client-services.ts';
import { type ControlServices, createControlServices } from './control-services.ts';

/** What the functions of exports work with that make requests to the API. */
export interface ExportServices extends ControlServices, Pick<ClientServices, 'clientOf'> {
  readonly ports: ClientPorts;
}

/**
 * Makes the clients and adapters from the environment that the stack sets.
 *
 * @param client To be shared with other services of the process. @default - its own
 * @throws SettingError naming the variable, or the setting, that is wrong.
 */
export function createExportServices(
  client: ClientServices = createClientServices(),
): ExportServices {
  const control = createControlServices(client);
  const { connections, clientOf } = client;
  return { ...control, ports: { ...control.ports, connections }, clientOf };
}
