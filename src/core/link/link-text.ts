// A link as text, the same on every surface: its medium, and why it has no figures.

import { type Figure, figureText, formatNominalBitsPerSecond } from '../figure/figure.ts';
import type { NodeId } from '../ids.ts';
import { isKnown, isUnknown } from '../unknown.ts';
import type { LinkCarrier, LinkEnd } from './link-ends.ts';
import type { ConnectionFacts } from './link-facts.ts';
import type { LinkView } from './link-view.ts';

/** "Thunderbolt 5 (RDMA)", "Ethernet", "Wi-Fi"; or that the type is unknown. */
export const typeText = ({ carrier, medium }: Pick<ConnectionFacts, 'carrier' | 'medium'>): string => {
  const { type, negotiatedBitsPerSecond: rate } = carrier;
  if (!isKnown(type)) return medium === 'rdma' ? 'RDMA' : 'type unknown';
  if (type !== 'thunderbolt') return medium === 'rdma' && type === 'ethernet' ? 'RoCE' : TYPE_LABELS[type];
  return `Thunderbolt${generation(isKnown(rate) ? rate : 0)} (${medium === 'rdma' ? 'RDMA' : 'TCP'})`;
};

/** "atlas en0 1 Gb/s, juno eth0 100 Mb/s": what each end reports of its own interface, the source first. */
export const endsText = (
  { source, sink, carrier: { ends } }: Pick<ConnectionFacts, 'source' | 'sink' | 'carrier'>,
  nameOf: (node: NodeId) => string,
  formatRate: (bitsPerSecond: number) => Figure = formatNominalBitsPerSecond,
): string =>
  [
    { node: source, end: ends.source },
    { node: sink, end: ends.sink },
  ]
    .map(({ node, end }) => `${nameOf(node)} ${endText(end, formatRate)}`)
    .join(', ');

const endText = (
  { interfaceName, type, negotiatedBitsPerSecond: rate }: LinkEnd,
  formatRate: (bitsPerSecond: number) => Figure,
): string => {
  if (isUnknown(interfaceName)) return 'unknown interface';
  const radio = type === 'wifi' ? ' Wi-Fi' : '';
  return `${interfaceName}${radio} ${isKnown(rate) && rate > 0 ? figureText(formatRate(rate)) : 'unknown rate'}`;
};

/** Both ends report the same rate, so one is enough. */
export const areEndsEqual = ({ ends: { source, sink } }: LinkCarrier): boolean =>
  isKnown(source.negotiatedBitsPerSecond) &&
  source.negotiatedBitsPerSecond === sink.negotiatedBitsPerSecond &&
  source.type === sink.type;

/** Why there are no figures; '' if there are. */
export const standingText = ({ standing }: Pick<LinkView, 'standing'>): string => {
  switch (standing.kind) {
    case 'measured':
      return '';
    case 'measuring':
      return 'measuring';
    case 'waiting':
      return `waits: ${standing.reason}`;
    case 'failed':
      return `failed: ${standing.reason}`;
    case 'unmeasured':
      return 'not measured yet';
    case 'lost':
      return 'lost';
    case 'returning':
      return 'reconnecting';
    case 'gone':
      return 'no contact';
    default:
      return standing satisfies never;
  }
};

const generation = (bitsPerSecond: number): string => {
  if (bitsPerSecond >= 80e9) return '\u00a05';
  if (bitsPerSecond >= 40e9) return '\u00a04';
  return bitsPerSecond >= 20e9 ? '\u00a03' : '';
};

const TYPE_LABELS = {
  wifi: 'Wi-Fi',
  ethernet: 'Ethernet',
  infiniband: 'InfiniBand',
  roce: 'RoCE',
  overlay: 'overlay',
  loopback: 'loopback',
} as const;
