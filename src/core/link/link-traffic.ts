// Current traffic between the two ends of a connection, from what each node reports of its own port. The
// figures include other traffic of the port, so for one link they are an upper limit: it carries no more than
// its sender sends and its receiver gets.

import type { NodeId } from '../ids.ts';
import { readingView, whyNot } from '../node/reading-view.ts';
import type { PortTraffic } from '../node/traffic.ts';
import type { State } from '../state.ts';
import { isUnknown, type Reported, unknown } from '../unknown.ts';
import type { ConnectionFacts } from './link-facts.ts';

/** One direction of a connection, bits per second. */
interface WayTraffic {
  readonly from: NodeId;
  readonly to: NodeId;
  /** What the port of each end sends and receives in total. */
  readonly sentBitsPerSecond: Reported<number>;
  readonly receivedBitsPerSecond: Reported<number>;
  /** The smaller of the two, or the one that is known: the link carries no more. */
  readonly mostBitsPerSecond: Reported<number>;
}

/** From one node of the connection to the other. */
export const trafficFrom = (
  state: State,
  facts: Pick<ConnectionFacts, 'source' | 'sink' | 'carrier' | 'connection'>,
  from: NodeId,
  nowMs: number,
): WayTraffic => {
  const { source, sink, carrier } = facts;
  const isForth = from === source;
  const to = isForth ? sink : source;
  const [near, far] = isForth
    ? [carrier.ends.source, carrier.ends.sink]
    : [carrier.ends.sink, carrier.ends.source];
  const kind = facts.connection.kind === 'rdma' ? 'rdma' : 'interface';
  const portOf = (node: NodeId, name: Reported<string>): Reported<PortRatesOf> =>
    isUnknown(name) ? name : portRates(state, node, { kind, name }, nowMs);
  const sent = bitsOf(portOf(from, near.interfaceName), 'sent');
  const received = bitsOf(portOf(to, far.interfaceName), 'received');
  return {
    from,
    to,
    sentBitsPerSecond: sent,
    receivedBitsPerSecond: received,
    mostBitsPerSecond: isUnknown(sent) ? received : isUnknown(received) ? sent : Math.min(sent, received),
  };
};

type PortRatesOf = Exclude<PortTraffic['rates'], { readonly kind: 'unknown' }>;

const portRates = (
  state: State,
  node: NodeId,
  { kind, name }: Pick<PortTraffic, 'kind' | 'name'>,
  nowMs: number,
): Reported<PortRatesOf> => {
  const view = readingView(state.nodeTraffics[node], state.readingStatuses[node]?.['traffic'], nowMs);
  if (view.kind !== 'current') return unknown(whyNot(view));
  const port = view.value.ports.find(one => one.kind === kind && one.name === name);
  return port?.rates ?? unknown(`no counters of ${name}`);
};

const bitsOf = (rates: Reported<PortRatesOf>, way: 'sent' | 'received'): Reported<number> =>
  isUnknown(rates) ? rates : rates[way].bytesPerSecond * 8;
