// A link in words, the same on every surface: what it is made of, and why it has no figures.

import { isKnown } from '../unknown.ts';
import type { ConnectionFacts } from './link-facts.ts';
import type { LinkView } from './link-view.ts';

/** "Thunderbolt 5 (RDMA)", "Ethernet", "Wi-Fi"; for what nobody could tell, that. */
export const typeWords = ({ connection, medium }: Pick<ConnectionFacts, 'connection' | 'medium'>): string => {
  const { type, negotiatedBitsPerSecond: rate } = connection;
  if (!isKnown(type)) return medium === 'rdma' ? 'RDMA' : 'type unknown';
  if (type !== 'thunderbolt') return medium === 'rdma' && type === 'ethernet' ? 'RoCE' : TYPE_WORDS[type];
  return `Thunderbolt${generation(isKnown(rate) ? rate : 0)} (${medium === 'rdma' ? 'RDMA' : 'TCP'})`;
};

/** Why there are no figures; '' where there are. */
export const standingWords = ({ standing }: Pick<LinkView, 'standing'>): string => {
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

const TYPE_WORDS = {
  wifi: 'Wi-Fi',
  ethernet: 'Ethernet',
  infiniband: 'InfiniBand',
  roce: 'RoCE',
  overlay: 'overlay',
  loopback: 'loopback',
} as const;
