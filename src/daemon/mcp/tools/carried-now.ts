// What the network ports and disks of one node carry now. Rates are over the time since the reading before; errors and drops count
// since the counters began.

import * as v from 'valibot';
import { DISK_RATE_FIGURES, PORT_FIGURES } from '../../../core/node/carrier-figures.ts';
import type { DiskTraffic } from '../../../core/node/disk-traffic.ts';
import type { NodeView } from '../../../core/node/node-view.ts';
import { knownValue } from '../../../core/node/reading-view.ts';
import { isLoopbackPort, type PortTraffic } from '../../../core/node/traffic.ts';
import { figureFields, figureSchemas, missingReason, quoted } from '../figure-fields.ts';

const MISSING = v.pipe(v.string(), v.description('Why nothing is known of it; empty where it was read.'));

export const portsSchema: v.GenericSchema<unknown, object> = v.pipe(
  v.object({
    ports: v.array(
      v.object({
        name: v.string(),
        kind: v.pipe(
          v.picklist(['interface', 'rdma']),
          v.description('An RDMA port counts what goes past the IP stack: none of it is in its interface.'),
        ),
        ...figureSchemas(PORT_FIGURES),
      }),
    ),
    leftOut: v.number(),
    missing: MISSING,
  }),
  v.description(
    'What each network port carries now, those first that have carried most; without the loopback and those that never carried anything. A bridge, a bond or a VLAN counts what its members carry once more.',
  ),
);

export const disksSchema: v.GenericSchema<unknown, object> = v.pipe(
  v.object({
    disks: v.array(v.object({ name: v.string(), ...figureSchemas(DISK_RATE_FIGURES) })),
    leftOut: v.number(),
    missing: MISSING,
  }),
  v.description(
    'What each disk reads and writes now, those first that have carried most. A volume on several devices is counted once for each layer.',
  ),
);

export const reportedPorts = (view: NodeView['traffic']): object => {
  const ports = (knownValue(view)?.ports ?? []).filter(port => !isLoopbackPort(port) && carriedBy(port) > 0);
  const most = ports.toSorted((a, b) => carriedBy(b) - carriedBy(a)).slice(0, CARRIERS_MAX);
  return {
    ports: most.map(port => ({
      name: quoted(port.name),
      kind: port.kind,
      ...figureFields(PORT_FIGURES, port, () => view),
    })),
    leftOut: ports.length - most.length,
    missing: missingReason(view),
  };
};

export const reportedDisks = (view: NodeView['diskTraffic']): object => {
  const total = ({ readBytes, writtenBytes }: DiskTraffic): number => readBytes + writtenBytes;
  const disks = (knownValue(view)?.devices ?? []).toSorted((a, b) => total(b) - total(a));
  const most = disks.slice(0, CARRIERS_MAX);
  return {
    disks: most.map(disk => ({
      name: quoted(disk.name),
      ...figureFields(DISK_RATE_FIGURES, disk, () => view),
    })),
    leftOut: disks.length - most.length,
    missing: missingReason(view),
  };
};

const carriedBy = ({ received, sent }: PortTraffic): number => received.bytes + sent.bytes;

/** Of each. */
const CARRIERS_MAX = 8;
