// What interfaces and RDMA ports have carried, as counters: rates of any length come from `rate(…)`. With the names that
// node_exporter made usual, in one family with a direction as its label.

import type { NodeTraffic } from '../../../core/node/traffic.ts';
import type { Labels, MetricPage } from './metric-page.ts';

export const addTraffic = (page: MetricPage, traffic: NodeTraffic | undefined, labels: Labels): void => {
  for (const { name, kind, received, sent } of traffic?.ports ?? []) {
    for (const [direction, counts] of [['receive', received] as const, ['transmit', sent] as const]) {
      const portLabels = { ...labels, interface: name, counter: kind, direction };
      page.counter(TRAFFIC.bytes, portLabels, counts.bytes);
      page.counter(TRAFFIC.packets, portLabels, counts.packets);
      page.counter(TRAFFIC.errors, portLabels, counts.errors);
      page.counter(TRAFFIC.drops, portLabels, counts.drops);
    }
  }
};

const TRAFFIC = {
  bytes: { name: 'plimsoll_network_bytes_total', help: 'Bytes that an interface or RDMA port has carried.' },
  packets: { name: 'plimsoll_network_packets_total', help: 'Packets that it has carried.' },
  errors: {
    name: 'plimsoll_network_errors_total',
    help: 'Packets that were received or sent with an error.',
  },
  drops: { name: 'plimsoll_network_drops_total', help: 'Valid packets that were dropped.' },
} as const;
