// What discovery knows of its interfaces, and in which words `plimsoll doctor` tells it.

import type { LeftOutInterface } from './beacon-places.ts';

export interface BeaconFailure {
  readonly action: 'open' | 'send' | 'listen';
  /** Of the system: "EHOSTUNREACH". */
  readonly code: string;
}

export interface BeaconTrouble extends BeaconFailure {
  readonly interfaceName: string;
  readonly family: 'IPv4' | 'IPv6';
}

export interface BeaconChannelStatus {
  readonly interfaceName: string;
  readonly family: 'IPv4' | 'IPv6';
  readonly isOpen: boolean;
  /** The last one, until it goes well again. */
  readonly failure: BeaconFailure | undefined;
  readonly sentCount: number;
  /** Of other nodes with the cluster key. */
  readonly heardCount: number;
  /** Of nodes with another cluster key. */
  readonly otherKeyCount: number;
  /** Garbage, replays, and what came too fast to be looked at. */
  readonly droppedCount: number;
  /** Monotonic, of the clock that discovery was given. */
  readonly lastHeardAtMs: number | undefined;
}

export interface DiscoveryStatus {
  readonly channels: readonly BeaconChannelStatus[];
  readonly leftOut: readonly LeftOutInterface[];
  /** Addresses that are remembered. */
  readonly candidateCount: number;
  /** Addresses that came too fast or past a bound. */
  readonly refusedCount: number;
}

/** One sentence: what does not work, and what to do where that is known. */
export const troubleText = ({ interfaceName, family, action, code }: BeaconTrouble): string => {
  const what = { open: 'open a beacon', send: 'send', listen: 'listen' }[action];
  const advice = ADVICE[code];
  return `cannot ${what} on ${interfaceName} (${family}): ${code}${advice === undefined ? '' : `; ${advice}`}`;
};

/** A line for each interface where something is amiss; empty where all is well. */
export const discoveryFindings = ({ channels, leftOut }: DiscoveryStatus): readonly string[] => {
  const findings: string[] = channels.flatMap(({ failure, ...channel }) =>
    failure === undefined ? [] : [troubleText({ ...channel, ...failure })],
  );
  for (const name of new Set(channels.map(({ interfaceName }) => interfaceName))) {
    const own = channels.filter(({ interfaceName }) => interfaceName === name);
    if (own.some(({ heardCount }) => heardCount > 0)) continue;
    const others = own.reduce((sum, { otherKeyCount }) => sum + otherKeyCount, 0);
    findings.push(
      others > 0
        ? `on interface ${name} only beacons of another cluster key are heard (${others})`
        : `beacon not heard on interface ${name}`,
    );
  }
  return [
    ...findings,
    ...leftOut.map(({ interfaceName, reason }) => `no beacon on ${interfaceName}: ${reason}`),
  ];
};

const ADVICE: Readonly<Record<string, string>> = {
  EHOSTUNREACH:
    'on macOS allow it in System Settings, Privacy & Security, Local Network; elsewhere look at the firewall',
  EPERM: 'a firewall forbids it: allow UDP 4182',
  EACCES: 'a firewall forbids it: allow UDP 4182',
  EADDRINUSE: 'another program has the port for itself: choose another one',
  EADDRNOTAVAIL: 'the interface has no address yet; it is tried again',
  ENETUNREACH: 'the interface has no route; it is tried again',
  ENODEV: 'the interface is gone; it is tried again',
};
