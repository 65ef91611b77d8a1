// The MTU of a path: what both interfaces are set to, what a probe has seen pass in each direction, what is wrong with it, and what
// larger packets would carry.

import { figureText, formatBitsPerSecond } from '../figure/figure.ts';
import type { NodeId } from '../ids.ts';
import type { NodeView } from '../node/node-view.ts';
import { knownValue } from '../node/reading-view.ts';
import { isKnown, isUnknown, type Reported, type Unknown, unknown } from '../unknown.ts';
import type { ConnectionFacts } from './link-facts.ts';

/** Bytes of IP packets; ends, and directions from the first end and from the second. */
export interface PathMtu {
  readonly ends: readonly [Reported<number>, Reported<number>];
  readonly ways: readonly [Reported<number>, Reported<number>];
  readonly type: ConnectionFacts['carrier']['type'];
  readonly negotiatedBitsPerSecond: Reported<number>;
  /** Measured, of the slower direction. */
  readonly bitsPerSecond: Reported<number>;
}

export type MtuFault =
  | { readonly kind: 'ends' | 'ways'; readonly bytes: readonly [number, number] }
  /** Something between passes less than both ends send. */
  | { readonly kind: 'between'; readonly bytes: number; readonly endBytes: number }
  /** Equal everywhere, and small for such a rate. */
  | {
      readonly kind: 'small';
      readonly bytes: number;
      readonly bitsPerSecond: number;
      readonly possibleBitsPerSecond: number;
    };

/** As a node reads it from its own interface. */
export const interfaceMtu = (
  { network }: Pick<NodeView, 'network'>,
  interfaceName: Reported<string>,
): Reported<number> =>
  knownValue(network)?.interfaces.find(({ name }) => name === interfaceName)?.mtuBytes ??
  unknown('the interface is not among those that the node reports');

/** As a probe measured it, from one of the two nodes to the other. */
export const measuredMtu = ({ source, profile }: ConnectionFacts, from: NodeId): Reported<number> =>
  (source === from ? profile?.uploadMtuBytes : profile?.downloadMtuBytes) ?? unknown('not measured yet');

/** Undefined if there is none; unknown with the reason if an end does not report it. */
export const mtuFault = (path: PathMtu): MtuFault | Unknown | undefined => {
  const [own, their] = path.ends;
  if (isUnknown(own)) return own;
  if (isUnknown(their)) return their;
  if (own !== their) return { kind: 'ends', bytes: [own, their] };
  // An adapter passes a few bytes more than it is set to: the room for a VLAN's tag.
  const ways = path.ways.filter(isKnown).map(bytes => Math.min(bytes, own));
  const [there = own, back = there] = ways;
  if (there !== back) return { kind: 'ways', bytes: [there, back] };
  if (there < own) return { kind: 'between', bytes: there, endBytes: own };
  const { negotiatedBitsPerSecond: negotiated, bitsPerSecond } = path;
  if (own > SMALL_MTU || path.type !== 'ethernet' || isUnknown(negotiated) || negotiated < FAST)
    return undefined;
  return {
    kind: 'small',
    bytes: own,
    bitsPerSecond: negotiated,
    possibleBitsPerSecond: jumboRate(own, negotiated, bitsPerSecond),
  };
};

/**
 * What TCP would carry with packets of 9,000 bytes, bits per second: as many packets as now, each with more payload, until the line is full.
 * A frame takes 38 bytes more than its packet (IEEE 802.3: preamble 8, header 14, checksum 4, gap 12), and 52 of the packet are headers
 * (IPv4, TCP with timestamps of RFC 7323). 1,500 bytes fill a line to 94.1 %, 9,000 to 99.0 %.
 */
const jumboRate = (bytes: number, negotiated: number, measured: Reported<number>): number => {
  const full = (negotiated * (JUMBO_MTU - HEADERS)) / (JUMBO_MTU + FRAME);
  return isUnknown(measured) ? full : Math.min(full, (measured * (JUMBO_MTU - HEADERS)) / (bytes - HEADERS));
};

/** For a heading after the names of its ends: "packets of 1500 bytes pass, although both ends are set to 9000". */
export const mtuFaultText = (fault: MtuFault): string => {
  switch (fault.kind) {
    case 'ends':
      return `the ends differ in MTU, ${fault.bytes.join(' and ')} bytes`;
    case 'ways':
      return `packets of ${fault.bytes[0]} bytes pass one way, and of ${fault.bytes[1]} the other`;
    case 'between':
      return `packets of ${fault.bytes} bytes pass, although both ends are set to ${fault.endBytes}`;
    case 'small':
      return `packets of ${fault.bytes} bytes at ${figureText(formatBitsPerSecond(fault.bitsPerSecond))}`;
    default:
      return fault satisfies never;
  }
};

/** What it costs, in sentences. */
export const mtuFaultCost = (fault: MtuFault): string => {
  switch (fault.kind) {
    case 'ends':
    case 'ways':
      return 'Larger packets are lost or split on this path: small requests work, and large ones stall.';
    case 'between':
      return 'A switch or router between them passes less: where its ICMP messages are filtered, small requests work, and large ones stall.';
    case 'small':
      return `With ${JUMBO_MTU} bytes, headers take 1 % of the rate rather than 6 %, and there is a sixth of the packets: up to ${figureText(formatBitsPerSecond(fault.possibleBitsPerSecond))} of TCP, if packets are what limits it. Change the switch first.`;
    default:
      return fault satisfies never;
  }
};

export const JUMBO_MTU: number = 9_000;
/** Ethernet's own limit without jumbo frames, bytes. */
const SMALL_MTU = 1_500;
const HEADERS = 52;
const FRAME = 38;
/** Below this rate one core fills a link with packets of any size, bits a second: at 25 Gb/s there are 2 million of 1,500 bytes. */
const FAST = 25e9;
