// What has gone wrong on the cables and slots of a simulated Linux machine: nothing, but for its quirks.

import type { Fact } from '../core/event-kinds.ts';
import { PORT_COUNTER_NAMES, PORT_COUNTERS, type PortHealth } from '../core/node/port-health.ts';
import { knownOr, unknown } from '../core/unknown.ts';
import { networkOf, pciAddressOf, simulated } from './durable-readings.ts';
import { rdmaDevicesOf } from './port-readings.ts';
import type { Site } from './site.ts';

/** None for machines that do not report it. */
export const portHealthFacts = (site: Site): readonly Fact[] => {
  const { hardware } = site;
  if (hardware.operatingSystem.platform !== 'linux') return [];
  const interfaces = networkOf(site).interfaces.filter(({ type }) => type !== 'loopback');
  const slots = hardware.gpus.flatMap((gpu, at) => knownOr(pciAddressOf(gpu, at), []));
  return [
    {
      kind: 'portHealth.gathered',
      payload: simulated({
        ports: [
          ...interfaces.map(({ name }) => portOf(site, 'interface', name)),
          ...(rdmaDevicesOf(site)?.devices ?? []).map(({ name }) => portOf(site, 'rdma', name)),
        ],
        slots:
          slots.length === 0
            ? unknown('no PCI device counts errors (AER)')
            : slots.map(name => portOf(site, 'pcie', name)),
      }),
    },
  ];
};

const portOf = ({ machine }: Site, kind: PortHealth['kind'], name: string): PortHealth => ({
  name,
  kind,
  counters: PORT_COUNTER_NAMES.filter(counter => PORT_COUNTERS[counter].kind === kind).map(counter => {
    const fault = machine.quirks?.portFaults?.find(each => each.port === name && each.counter === counter);
    const lastHour = fault?.lastHour ?? 0;
    return { counter, total: 3 * lastHour, lastHour, observedMs: HOUR_MS };
  }),
});

const HOUR_MS = 3_600_000;
