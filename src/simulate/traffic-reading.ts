// What the ports of a simulated machine carry: a share of what each negotiated, as busy as the machine is.

import type { Fact } from '../core/event-kinds.ts';
import type { PortCounts, PortTraffic } from '../core/node/traffic.ts';
import { isKnown, type Reported, unknown } from '../core/unknown.ts';
import { networkOf, simulated } from './durable-readings.ts';
import { LIVE_INTERVAL_MS, type Moment, uptimeSecondsOf } from './live-readings.ts';
import { seedOf, unrest } from './noise.ts';
import type { Site } from './site.ts';

export const trafficReporter = (site: Site): ((moment: Moment) => Fact) => {
  // They do not change.
  const ports = usedPorts(site);
  return moment => ({
    kind: 'traffic.gathered',
    payload: simulated({ ports: ports.map(port => trafficOf(site, port, moment)) }, LIVE_INTERVAL_MS),
  });
};

/** A port that is up, with what it carries over a long time. */
interface UsedPort {
  readonly name: string;
  readonly kind: PortTraffic['kind'];
  readonly bytesPerSecond: number;
}

const usedPorts = (site: Site): readonly UsedPort[] => {
  const { machine, hardware, sockets } = site;
  const interfaces = networkOf(site).interfaces.flatMap(
    ({ name, type, isUp, speedBitsPerSecond: speed }): readonly UsedPort[] => {
      if (isUp !== true || !isKnown(speed) || type === 'loopback') return [];
      const isCable = type === 'thunderbolt';
      const share = isCable ? 0.25 * machine.load.use : 0.01 + 0.05 * machine.load.cpu;
      return [{ name, kind: 'interface', bytesPerSecond: (speed / 8) * share }];
    },
  );
  // Of Macs the system counts nothing there.
  if (hardware.operatingSystem.platform === 'macos') return interfaces;
  const rdma = sockets.flatMap(({ rdmaName, port }): readonly UsedPort[] => {
    const speed = hardware.rdmaPorts[port]?.bitsPerSecond;
    if (rdmaName === undefined || speed === undefined) return [];
    return [{ name: rdmaName, kind: 'rdma', bytesPerSecond: (speed / 8) * 0.35 * machine.load.use }];
  });
  return [...interfaces, ...rdma];
};

const trafficOf = (site: Site, { name, kind, bytesPerSecond }: UsedPort, moment: Moment): PortTraffic => {
  const isMac = site.hardware.operatingSystem.platform === 'macos';
  const none: Reported<number> = isMac ? unknown('netstat -ib does not report it') : 0;
  const direction = (way: 'received' | 'sent') => {
    const seed = seedOf(moment.seed, `${site.machine.name} ${name} ${way}`);
    const now = Math.round(bytesPerSecond * (1 + 0.6 * unrest(seed, moment.seconds)));
    const bytes = Math.round(bytesPerSecond * uptimeSecondsOf(site, moment));
    const counts: PortCounts = { bytes, packets: Math.round(bytes / PACKET_BYTES), errors: 0, drops: none };
    const rates = {
      bytesPerSecond: now,
      packetsPerSecond: Math.round(now / PACKET_BYTES),
      errorsPerSecond: 0,
      dropsPerSecond: none,
    };
    return { counts, rates };
  };
  const [received, sent] = [direction('received'), direction('sent')];
  return {
    name,
    kind,
    received: received.counts,
    sent: sent.counts,
    rates: { received: received.rates, sent: sent.rates },
  };
};

/** Full frames of an Ethernet, as most are when something is copied. */
const PACKET_BYTES = 1_448;
