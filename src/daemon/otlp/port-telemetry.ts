// The network interfaces and RDMA ports of a node, by the conventions for network adapters. Names, never addresses.

import type { NodeView } from '../../core/node/node-view.ts';
import { isLoopbackPort } from '../../core/node/traffic.ts';
import { isKnown, knownOr } from '../../core/unknown.ts';
import { ERRORS } from './hardware-instruments.ts';
import type { Instrument, PointPage } from './point-page.ts';

export const putPorts = (page: PointPage, { network, traffic }: NodeView): void => {
  if (network.kind === 'current')
    for (const { name, isUp, speedBitsPerSecond, driver } of network.value.interfaces) {
      const port = { ...portOf(name, 'interface'), 'hw.model': knownOr(driver, undefined) };
      if (isLoopbackPort({ name, kind: 'interface' })) continue;
      page.put(PORT.up, port, isUp);
      page.put(PORT.limit, port, isKnown(speedBitsPerSecond) ? speedBitsPerSecond / 8 : undefined);
    }
  if (traffic.kind !== 'current') return;
  for (const { name, kind, received, sent } of traffic.value.ports) {
    if (isLoopbackPort({ name, kind })) continue;
    for (const [direction, counts] of [['receive', received] as const, ['transmit', sent] as const]) {
      const port = { ...portOf(name, kind), 'network.io.direction': direction };
      page.put(PORT.io, port, counts.bytes);
      page.put(PORT.packets, port, counts.packets);
      page.put(ERRORS, { ...port, 'hw.type': 'network' }, counts.errors);
      page.put(PORT.drops, port, counts.drops);
    }
  }
};

const portOf = (name: string, kind: 'interface' | 'rdma') => ({
  'hw.id': name,
  'hw.name': name,
  'plimsoll.port.kind': kind,
});

const PORT = {
  up: { name: 'hw.network.up', unit: '1', description: 'Link status: 1 up, 0 down.', kind: 'updowncounter' },
  limit: {
    name: 'hw.network.bandwidth.limit',
    unit: 'By/s',
    description: 'Link speed.',
    kind: 'updowncounter',
  },
  io: {
    name: 'hw.network.io',
    unit: 'By',
    description: 'Received and transmitted network traffic in bytes.',
    kind: 'counter',
  },
  packets: {
    name: 'hw.network.packets',
    unit: '{packet}',
    description: 'Received and transmitted network traffic in packets.',
    kind: 'counter',
  },
  drops: {
    name: 'plimsoll.network.drops',
    unit: '{packet}',
    description: 'Valid packets that were dropped.',
    kind: 'counter',
  },
} as const satisfies Readonly<Record<string, Instrument>>;
