import { type Certificates, createCertificates } from '../infra/simulator/certificate.ts';
import type { SimulatorOptions } from '../infra/simulator/options.ts';
import { type Simulator, startSimulatorWith } from '../infra/simulator/simulator.ts';
import { trust } from './trust.ts';

let certificates: Promise<Certificates> | undefined;

/** A simulator that fetch in this suite trusts. All of a suite have the same certificate. */
export async function startTrustedSimulator(options?: SimulatorOptions): Promise<Simulator> {
  certificates ??= createCertificates(Date.now());
  const simulator = await startSimulatorWith(await certificates, options);
  trust(simulator.caPem);
  return simulator;
}
