// What the ports and disks of a node carry, a row each: in, out, and what was lost since the counters began.

import {
  figureText,
  formatBitsPerSecond,
  formatBytesPerSecond,
  formatCount,
  formatPercent,
} from '../core/figure/figure.ts';
import type { DiskTraffic } from '../core/node/disk-traffic.ts';
import { isLoopbackPort, type PortTraffic } from '../core/node/traffic.ts';
import { isUnknown, knownOr } from '../core/unknown.ts';
import { named, unknownFact } from './figure.ts';
import { type Line, part } from './part.ts';

/** None of the loopback, nor of a port that has never carried anything. */
export const trafficFacts = (port: PortTraffic): readonly Line[] => {
  const { name, received, sent, rates } = port;
  if (isLoopbackPort(port) || received.bytes + sent.bytes === 0) return [];
  const lost = [
    ...lossFacts('errors', knownOr(received.errors, 0) + knownOr(sent.errors, 0)),
    ...lossFacts('drops', knownOr(received.drops, 0) + knownOr(sent.drops, 0)),
  ];
  return [
    [part(name, 'strong')],
    ...(isUnknown(rates)
      ? [unknownFact(rates)]
      : [
          named('in', [part(bits(rates.received.bytesPerSecond))]),
          named('out', [part(bits(rates.sent.bytesPerSecond))]),
        ]),
    ...lost,
  ];
};

/** None for an idle disk; a disk whose state is unknown is shown with the reason. */
export const diskFacts = ({ name, rates }: DiskTraffic): readonly Line[] => {
  if (isUnknown(rates)) return [[part(name, 'strong')], unknownFact(rates)];
  if (rates.readBytesPerSecond + rates.writtenBytesPerSecond === 0) return [];
  return [
    [part(name, 'strong')],
    named('read', [part(figureText(formatBytesPerSecond(rates.readBytesPerSecond)))]),
    named('write', [part(figureText(formatBytesPerSecond(rates.writtenBytesPerSecond)))]),
    named('busy', [part(figureText(formatPercent(rates.busyShare)))]),
  ];
};

const bits = (bytesPerSecond: number): string => figureText(formatBitsPerSecond(bytesPerSecond * 8));

const lossFacts = (name: string, count: number): readonly Line[] =>
  count === 0 ? [] : [named(name, [part(formatCount(count), 'caution')])];
