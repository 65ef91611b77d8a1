// Current traffic of a node's ports: the counters of each network interface and of each RDMA port, and their
// increase since the previous reading. Per interface, not per link: other traffic on the cable is included.

import * as v from 'valibot';
import { maximumOf } from '../extremes.ts';
import { counter, type Infer, list, openObject, reported, text } from '../schema.ts';
import { isUnknown, type Reported, unknown } from '../unknown.ts';
import type { Gathered } from './gathered.ts';

const counts = openObject({
  bytes: counter,
  packets: reported(counter),
  errors: reported(counter),
  drops: reported(counter),
});

export const rates = openObject({
  bytesPerSecond: counter,
  packetsPerSecond: reported(counter),
  errorsPerSecond: reported(counter),
  dropsPerSecond: reported(counter),
});

export const trafficSchema = openObject({
  ports: list(
    openObject({
      name: text,
      kind: v.picklist(['interface', 'rdma']),
      received: counts,
      sent: counts,
      rates: reported(openObject({ received: rates, sent: rates })),
    }),
  ),
});

export type NodeTraffic = Infer<typeof trafficSchema>;

export interface PortTraffic {
  /** An interface as the network reading names it, or an RDMA port as a connection names it: "eth0", "mlx5_0". */
  readonly name: string;
  /** An RDMA port counts traffic that bypasses the IP stack, which is not in its interface's counters. */
  readonly kind: 'interface' | 'rdma';
  /** Since the counters started: since the interface appeared. */
  readonly received: PortCounts;
  readonly sent: PortCounts;
  /**
   * Per second, over the time since the previous reading; missing in a first one, and after a reset of the
   * counters.
   */
  readonly rates: Reported<PortRates>;
}

export interface PortCounts {
  readonly bytes: number;
  readonly packets: Reported<number>;
  readonly errors: Reported<number>;
  /** Intact packets that were not delivered: no room, or no receiver. */
  readonly drops: Reported<number>;
}

/** Type aliases, so that they are assignable to `Reported`'s index signature. */
type PortRates = { readonly received: DirectionRates; readonly sent: DirectionRates };
export type DirectionRates = {
  readonly bytesPerSecond: number;
  readonly packetsPerSecond: Reported<number>;
  readonly errorsPerSecond: Reported<number>;
  readonly dropsPerSecond: Reported<number>;
};

/** The counters of a port as a source reports them. */
export type CountedPort = Omit<PortTraffic, 'rates'>;

/**
 * @param seconds between the two readings. After a counter went back, by a reset or a wrap, the port has no
 * rate: that is better than a spike.
 */
export const withRates = (
  port: CountedPort,
  before: CountedPort | undefined,
  seconds: number,
): PortTraffic => {
  if (before === undefined || seconds <= 0) return { ...port, rates: unknown('needs two readings') };
  const received = ratesOf(port.received, before.received, seconds);
  const sent = ratesOf(port.sent, before.sent, seconds);
  if (received === undefined || sent === undefined)
    return { ...port, rates: unknown('its counters were reset') };
  return { ...port, rates: { received, sent } };
};

const ratesOf = (now: PortCounts, before: PortCounts, seconds: number): DirectionRates | undefined => {
  const grown = COUNTS.map(name => growth(now[name], before[name]));
  const [bytes, packets, errors, drops] = grown;
  if (typeof bytes !== 'number' || packets === undefined || errors === undefined || drops === undefined)
    return undefined;
  if (grown.some(one => typeof one === 'number' && one < 0)) return undefined;
  const each = (count: Reported<number>): Reported<number> => (isUnknown(count) ? count : count / seconds);
  return {
    bytesPerSecond: bytes / seconds,
    packetsPerSecond: each(packets),
    errorsPerSecond: each(errors),
    dropsPerSecond: each(drops),
  };
};

const growth = (now: Reported<number>, before: Reported<number>): Reported<number> => {
  if (isUnknown(now)) return now;
  return isUnknown(before) ? before : now - before;
};

/**
 * Bytes per second of its busiest port except loopback. Not their sum: a bridge, a bond and a VLAN count the
 * traffic of their members again.
 */
export const busiestRate = ({ ports }: NodeTraffic, way: 'received' | 'sent'): number | undefined => {
  const rates = ports.flatMap(({ name, kind, rates }) =>
    isUnknown(rates) || isLoopbackPort({ name, kind }) ? [] : [rates[way].bytesPerSecond],
  );
  return rates.length === 0 ? undefined : maximumOf(rates);
};

export const isLoopbackPort = ({ name, kind }: Pick<PortTraffic, 'name' | 'kind'>): boolean =>
  kind === 'interface' && LOOPBACK.test(name);

/** Its row of the table of kinds. */
export const TRAFFIC_KINDS = {
  'traffic.gathered': {
    class: 'live',
    field: 'nodeTraffics',
    shape: 'node',
    entriesMax: 1,
    key: (_: Gathered<NodeTraffic>): string => '',
    title: 'Traffic',
    isSteady: true,
    isSignOfLife: true,
    texts: { source: 'plain', name: 'interface', kind: 'plain' },
  },
} as const;

const COUNTS = ['bytes', 'packets', 'errors', 'drops'] as const;

/** Linux and macOS. */
const LOOPBACK = /^lo0?$/;
