// Where the GPUs and adapters of a simulated Linux machine are: those of a server with several GPUs in two halves, each GPU with
// its adapter behind one switch; those of a workstation at one processor.

import type { Fact } from '../core/event-kinds.ts';
import type { NodeTopology, PlacedDevice } from '../core/node/topology.ts';
import { isKnown, unknown } from '../core/unknown.ts';
import { pciAddressOf, simulated } from './durable-readings.ts';
import type { Site } from './site.ts';

/** None for machines without a GPU on PCI. */
export const topologyFacts = (site: Site): readonly Fact[] => {
  const value = topologyOf(site);
  return value === undefined ? [] : [{ kind: 'topology.gathered', payload: simulated(value) }];
};

const topologyOf = ({ hardware, machine }: Site): NodeTopology | undefined => {
  if (hardware.operatingSystem.platform !== 'linux') return undefined;
  const addresses = hardware.gpus.map(pciAddressOf).filter(isKnown);
  if (addresses.length === 0) return undefined;
  const isServer = addresses.length >= 4;
  const isFar = machine.quirks?.hasFarAdapter === true;
  const adapters = hardware.rdmaPorts.map(({ device, interfaceName }) => [device, interfaceName]);
  const own = adapters.length === addresses.length;
  const halfOf = (at: number, of: number): number => (isServer && at >= of / 2 ? 1 : 0);
  return {
    devices: [
      ...addresses.map(
        (pciAddress, at): PlacedDevice => ({
          ...placeOf(halfOf(at, addresses.length), at, isServer ? [`0000:${40 + at}:00.0`] : []),
          pciAddress,
          kind: 'gpu',
          names: [],
        }),
      ),
      ...adapters.map((names, at): PlacedDevice => {
        const half = halfOf(at, adapters.length);
        return {
          ...placeOf(half, own ? at : 20 + at, own && isServer ? [`0000:${40 + at}:00.0`] : []),
          pciAddress: `0000:${60 + at}:00.0`,
          kind: 'nic',
          names,
        };
      }),
      {
        ...placeOf(isFar ? 1 : 0, 30, []),
        pciAddress: '0000:90:00.0',
        kind: 'nic',
        names: [hardware.ethernet.name],
      },
    ],
    gpuLinks:
      machine.quirks?.gpuLinkCount === undefined ? [] : everyPair(addresses, machine.quirks.gpuLinkCount),
    numaNodes:
      isServer || isFar ? [0, 1].map(number => ({ number, socket: number })) : [{ number: 0, socket: 0 }],
  };
};

/** Below a root port of its own, with the switches between. */
const placeOf = (
  half: number,
  port: number,
  switches: readonly string[],
): Pick<PlacedDevice, 'numaNode' | 'bridges'> => ({
  numaNode: half,
  bridges: [
    `pci0000:${half === 0 ? '00' : '80'}`,
    `0000:${half === 0 ? '00' : '80'}:${hex(port)}.0`,
    ...switches,
  ],
});

const hex = (value: number): string => value.toString(16).padStart(2, '0');

const everyPair = (addresses: readonly string[], links: number): NodeTopology['gpuLinks'] =>
  links === 0
    ? unknown('no NVLink')
    : addresses.flatMap((from, at) =>
        addresses.slice(at + 1).map(to => ({ from, to, kind: 'nvlink' as const, links })),
      );
