import { SettingError } from '../../../lib/errors.ts';
import { generatedName } from '../template/made-resources.ts';
import type { Template } from '../template/template.ts';
import { type HttpGateway, startHttpGateway } from './http-gateway.ts';

/** The gateways of a stack, by the physical name of their API. */
export interface HttpGateways {
  readonly urls: Readonly<Record<string, string>>;
  gatewayOf(name: string): HttpGateway;
  close(): Promise<void>;
}

const TYPE = 'AWS::ApiGatewayV2::Api';

/**
 * Starts a gateway for each HTTP API of a template. They are started before anything else is made: their
 * addresses are among the names that the other resources and the outputs refer to.
 *
 * @param port Of the one API; 0 for any free one.
 * @throws SettingError naming `httpPort` when it is taken, or given for several APIs.
 */
export async function startHttpGateways(
  { Resources }: Template,
  stackName: string,
  port: number,
): Promise<HttpGateways> {
  const names = Object.entries(Resources)
    .filter(([, { Type }]) => Type === TYPE)
    .map(([id, { Properties }]) => generatedName(stackName, id, TYPE, Properties));
  if (port !== 0 && names.length > 1) {
    throw new SettingError('httpPort', 'one port cannot serve several HTTP APIs; leave it at 0');
  }
  const gateways = new Map<string, HttpGateway>();
  const close = async () => {
    await Promise.all([...gateways.values()].map((gateway) => gateway.close()));
  };
  try {
    for (const name of names) gateways.set(name, await startHttpGateway(port));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    urls: Object.fromEntries([...gateways].map(([name, { url }]) => [name, url])),
    gatewayOf: (name) => {
      const gateway = gateways.get(name);
      if (gateway !== undefined) return gateway;
      throw new SettingError(name, 'there is no such HTTP API');
    },
    close,
  };
}
