// The state of discovery on its interfaces, and the problems that a person should know.

import type { BeaconProblem } from '../../wire/mesh-status.ts';
import type { LeftOutInterface, WhyLeftOut } from './beacon-endpoints.ts';
import { DISCOVERY_LIMITS } from './limits.ts';

export interface BeaconFailure {
  readonly action: 'open' | 'send' | 'listen';
  /** The system's error code: "EHOSTUNREACH". */
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
  /** The last one, until it succeeds again. */
  readonly failure: BeaconFailure | undefined;
  readonly sentCount: number;
  /** Beacons of other nodes with the cluster key. */
  readonly receivedCount: number;
  /** Beacons of nodes with another cluster key. */
  readonly otherKeyCount: number;
  /** Garbage, replays, and what arrived too fast to be checked. */
  readonly droppedCount: number;
  /** Monotonic, of the clock that discovery was given. */
  readonly lastSeenAtMs: number | undefined;
}

export interface DiscoveryStatus {
  readonly channels: readonly BeaconChannelStatus[];
  readonly leftOut: readonly LeftOutInterface[];
  /** Addresses that are remembered. */
  readonly candidateCount: number;
  /** Addresses that arrived too fast or past a limit. */
  readonly refusedCount: number;
}

/** One for each interface with a problem, as `plimsoll doctor` prints it; none if all is well. */
export const beaconProblems = ({ channels, leftOut }: DiscoveryStatus): readonly BeaconProblem[] => [
  ...channels.flatMap(({ failure, ...channel }) =>
    failure === undefined ? [] : [beaconFailed({ ...channel, ...failure })],
  ),
  ...[...new Set(channels.map(({ interfaceName }) => interfaceName))].flatMap(interfaceName =>
    unheard(
      interfaceName,
      channels.filter(channel => channel.interfaceName === interfaceName),
    ),
  ),
  ...leftOut.map(
    ({ interfaceName, why }): BeaconProblem => ({
      code: why === 'loopback' ? 'no-beacon-on-loopback' : 'no-beacon',
      interfaceName,
      problem: `no beacon on ${interfaceName}: ${LEFT_OUT[why]}`,
      advice: '',
    }),
  ),
];

export const beaconFailed = ({ interfaceName, family, action, code }: BeaconTrouble): BeaconProblem => ({
  code: 'beacon-failed',
  interfaceName,
  problem: `cannot ${ACTIONS[action]} on ${interfaceName} (${family}): ${code}`,
  advice: ADVICE[code] ?? '',
});

const unheard = (
  interfaceName: string,
  channels: readonly BeaconChannelStatus[],
): readonly BeaconProblem[] => {
  if (channels.some(({ receivedCount }) => receivedCount > 0)) return [];
  const others = channels.reduce((sum, { otherKeyCount }) => sum + otherKeyCount, 0);
  return others > 0
    ? [
        {
          code: 'beacon-of-other-key',
          interfaceName,
          problem: `on interface ${interfaceName} only beacons of another cluster key are received (${others})`,
          advice: 'Both need the same cluster key: plimsoll key show --join prints the line to run there.',
        },
      ]
    : [
        {
          code: 'beacon-not-heard',
          interfaceName,
          problem: `no beacon received on interface ${interfaceName}`,
          advice: `No other node with this key is on ${interfaceName}, or multicast is blocked: allow UDP 4182, or name the peer with --peer.`,
        },
      ];
};

const ACTIONS: Readonly<Record<BeaconFailure['action'], string>> = {
  open: 'open a beacon',
  send: 'send',
  listen: 'listen',
};
const LEFT_OUT: Readonly<Record<WhyLeftOut, string>> = {
  off: 'discovery is off',
  'not-named': 'the discovery setting does not include it',
  ignored: 'the settings ignore it',
  'its-kind': 'this kind of interface does not connect machines',
  loopback: 'only this machine can reach it',
  'no-address': 'it has neither an IPv6 link-local nor an IPv4 address',
  'too-many': `more than ${DISCOVERY_LIMITS.interfacesMax} interfaces`,
  'not-there': 'there is no such interface, or it is down',
  'not-listed': 'the system does not list them',
};
const ADVICE: Readonly<Record<string, string>> = {
  EHOSTUNREACH:
    'On macOS allow it in System Settings, Privacy & Security, Local Network; elsewhere check the firewall.',
  EPERM: 'A firewall forbids it: allow UDP 4182.',
  EACCES: 'A firewall forbids it: allow UDP 4182.',
  EADDRINUSE: 'Another program uses the port: choose another one.',
  EADDRNOTAVAIL: 'The interface has no address yet. Plimsoll will retry.',
  ENETUNREACH: 'The interface has no route. Plimsoll will retry.',
  ENODEV: 'The interface is gone. Plimsoll will retry.',
};
