// What the network ports and disks of one node carry now. Rates are over the time since the reading before; errors and drops count
// since the counters began.

import * as v from 'valibot';
import type { DiskTraffic } from '../../../core/node/disk-traffic.ts';
import type { NodeView } from '../../../core/node/node-view.ts';
import { knownValue } from '../../../core/node/reading-view.ts';
import { isLoopbackPort, type PortTraffic } from '../../../core/node/traffic.ts';
import { isUnknown, type Reported } from '../../../core/unknown.ts';
import {
  missingReason,
  quoted,
  type ReportedFigure,
  readFigure,
  reportedFigureSchema,
} from '../figure-fields.ts';

interface ReportedPorts {
  readonly ports: readonly {
    readonly name: string;
    readonly kind: PortTraffic['kind'];
    readonly received: ReportedFigure;
    readonly sent: ReportedFigure;
    readonly errors: ReportedFigure;
    readonly drops: ReportedFigure;
  }[];
  readonly leftOut: number;
  readonly missing: string;
}

interface ReportedDisks {
  readonly disks: readonly {
    readonly name: string;
    readonly read: ReportedFigure;
    readonly written: ReportedFigure;
    readonly busy: ReportedFigure;
  }[];
  readonly leftOut: number;
  readonly missing: string;
}

const MISSING = v.pipe(v.string(), v.description('Why nothing is known of it; empty where it was read.'));

export const portsSchema: v.GenericSchema<unknown, ReportedPorts> = v.pipe(
  v.object({
    ports: v.array(
      v.object({
        name: v.string(),
        kind: v.pipe(
          v.picklist(['interface', 'rdma']),
          v.description('An RDMA port counts what goes past the IP stack: none of it is in its interface.'),
        ),
        received: reportedFigureSchema,
        sent: reportedFigureSchema,
        errors: v.pipe(reportedFigureSchema, v.description('Of both directions, since the counters began.')),
        drops: v.pipe(reportedFigureSchema, v.description('Of both directions, since the counters began.')),
      }),
    ),
    leftOut: v.number(),
    missing: MISSING,
  }),
  v.description(
    'What each network port carries now, those first that have carried most; without the loopback and those that never carried anything. A bridge, a bond or a VLAN counts what its members carry once more.',
  ),
);

export const disksSchema: v.GenericSchema<unknown, ReportedDisks> = v.pipe(
  v.object({
    disks: v.array(
      v.object({
        name: v.string(),
        read: reportedFigureSchema,
        written: reportedFigureSchema,
        busy: v.pipe(
          reportedFigureSchema,
          v.description(
            'Share of time in which it was busy; at 1 it may still take more requests in parallel.',
          ),
        ),
      }),
    ),
    leftOut: v.number(),
    missing: MISSING,
  }),
  v.description(
    'What each disk reads and writes now, those first that have carried most. A volume on several devices is counted once for each layer.',
  ),
);

export const reportedPorts = (view: NodeView['traffic']): ReportedPorts => {
  const ports = (knownValue(view)?.ports ?? [])
    .filter(port => !isLoopbackPort(port) && carriedBy(port) > 0)
    .toSorted((a, b) => carriedBy(b) - carriedBy(a));
  return {
    ports: ports.slice(0, CARRIERS_MAX).map(({ name, kind, received, sent, rates }) => {
      const rate = (way: 'received' | 'sent') =>
        readFigure(view, isUnknown(rates) ? rates : rates[way].bytesPerSecond, 'bytes/s');
      return {
        name: quoted(name),
        kind,
        received: rate('received'),
        sent: rate('sent'),
        errors: readFigure(view, sum(received.errors, sent.errors), 'packets'),
        drops: readFigure(view, sum(received.drops, sent.drops), 'packets'),
      };
    }),
    leftOut: Math.max(0, ports.length - CARRIERS_MAX),
    missing: missingReason(view),
  };
};

export const reportedDisks = (view: NodeView['diskTraffic']): ReportedDisks => {
  const total = ({ readBytes, writtenBytes }: DiskTraffic): number => readBytes + writtenBytes;
  const disks = (knownValue(view)?.devices ?? []).toSorted((a, b) => total(b) - total(a));
  return {
    disks: disks.slice(0, CARRIERS_MAX).map(({ name, rates }) => {
      const of = (key: 'readBytesPerSecond' | 'writtenBytesPerSecond' | 'busyShare', unit: string) =>
        readFigure(view, isUnknown(rates) ? rates : rates[key], unit);
      return {
        name: quoted(name),
        read: of('readBytesPerSecond', 'bytes/s'),
        written: of('writtenBytesPerSecond', 'bytes/s'),
        busy: of('busyShare', 'share of 1'),
      };
    }),
    leftOut: Math.max(0, disks.length - CARRIERS_MAX),
    missing: missingReason(view),
  };
};

const carriedBy = ({ received, sent }: PortTraffic): number => received.bytes + sent.bytes;

/** Half of a sum would look whole. */
const sum = (a: Reported<number>, b: Reported<number>): Reported<number> => {
  if (isUnknown(a)) return a;
  return isUnknown(b) ? b : a + b;
};

/** Of each. */
const CARRIERS_MAX = 8;
