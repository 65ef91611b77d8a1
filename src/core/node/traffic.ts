// Current traffic of a node's ports: the counters of each network interface and of each RDMA port, and their
// increase since the previous reading. Per interface, not per link: other traffic on the cable is included.

import * as v from 'valibot';
import { maximumOf } from '../extremes.ts';
import { counter, type Infer, list, openObject, reported, text } from '../schema.ts';
import { isUnknown, type Reported, unknown } from '../unknown.ts';
import { gathered } from './gathered.ts';

const portCountsSchema = openObject({
  bytes: counter,
  packets: reported(counter),
  errors: reported(counter),
  /** Intact packets that were not delivered: no room, or no receiver. */
  drops: reported(counter),
});

export type PortCounts = Infer<typeof portCountsSchema>;

const directionRatesSchema = openObject({
  bytesPerSecond: counter,
  packetsPerSecond: reported(counter),
  errorsPerSecond: reported(counter),
  dropsPerSecond: reported(counter),
});

export type DirectionRates = Infer<typeof directionRatesSchema>;

const portTrafficSchema = openObject({
  /** An interface as the network reading names it, or an RDMA port as a connection names it: "eth0", "mlx5_0". */
  name: text,
  /** An RDMA port counts traffic that bypasses the IP stack, which is not in its interface's counters. */
  kind: v.picklist(['interface', 'rdma']),
  /** Since the counters started: since the interface appeared. */
  received: portCountsSchema,
  sent: portCountsSchema,
  /**
   * Per second, over the time since the previous reading; missing in a first one, and after a reset of the
   * counters.
   */
  rates: reported(openObject({ received: directionRatesSchema, sent: directionRatesSchema })),
});

export type PortTraffic = Infer<typeof portTrafficSchema>;

const trafficSchema = openObject({ ports: list(portTrafficSchema) });

export type NodeTraffic = Infer<typeof trafficSchema>;

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
    schema: gathered(trafficSchema),
    title: 'Traffic',
    isSteady: true,
    isSignOfLife: true,
    texts: { source: 'plain', name: 'interface', kind: 'plain' },
  },
} as const;

const COUNTS = ['bytes', 'packets', 'errors', 'drops'] as const;

/** Linux and macOS. */
const LOOPBACK = /^lo0?$/;
