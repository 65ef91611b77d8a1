// What the interfaces and RDMA ports of a Linux machine carry, once a second: one read for all interfaces, a few small files
// for each RDMA port. No process is started.

import type { GatheredKind, Gatherer } from '../gatherer.ts';
import { RdmaPortCounters } from '../infiniband/port-counters.ts';
import type { MachineAccess } from '../machine-access.ts';
import { isUnreadable, readFailed } from '../machine-files.ts';
import { poll } from '../poll.ts';
import { portsLeftOut, TrafficMeter } from '../traffic-meter.ts';
import { parseNetDev } from './parse-net-dev.ts';

export const linuxTrafficGatherer = ({ files, intervals, settings }: MachineAccess): Gatherer => ({
  name: 'procfs-traffic',
  reports: [TRAFFIC],
  intervalMs: intervals.trafficMs,
  gather: async session => {
    const { clock } = session;
    using rdma = new RdmaPortCounters(files);
    const meter = new TrafficMeter();
    let lookedAtMs = Number.NEGATIVE_INFINITY;
    await poll(session, intervals.trafficMs, async signal => {
      if (clock.nowMs() - lookedAtMs >= intervals.rdmaMs) {
        rdma.look();
        lookedAtMs = clock.nowMs();
      }
      const rdmaPorts = await rdma.read();
      // Not kept open: the kernel hands out a page at a time, which holds some thirty interfaces.
      const text = files.textNow('/proc/net/dev');
      const nowMs = clock.nowMs();
      if (signal.aborted) return;
      if (isUnreadable(text)) throw readFailed(text);
      const interfaces = parseNetDev(text);
      if (interfaces === undefined) throw new Error('/proc/net/dev is not of the form that Linux writes');
      const ignored = new Set(settings().ignoredInterfaces);
      const ports = [...interfaces.filter(({ name }) => !ignored.has(name)), ...rdmaPorts];
      const source = rdmaPorts.length === 0 ? 'procfs' : 'procfs, sysfs';
      session.emit(`${source}${portsLeftOut(ports.length)}`, {
        kind: 'traffic',
        value: meter.read(ports, nowMs),
      });
    });
  },
});

const TRAFFIC: GatheredKind = { reading: 'traffic', vendor: 'none' };
