// Network interfaces of a Mac: `ifconfig` for addresses, state and rate, `networksetup` for what each device is. A
// long-running `scutil` triggers the next read when a link or an address changes.

import type { InterfaceType, NetworkInterface } from '../../core/node/network.ts';
import { type Reported, type Unknown, unknown } from '../../core/unknown.ts';
import { ToolError } from '../../process/child.ts';
import type { GatheredKind, Gatherer, GatherSession } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import type { MachineTools } from '../machine-tools.ts';
import type { HardwarePort } from '../networksetup/parse-networksetup.ts';
import { HintedPoll, runConcurrently } from '../poll.ts';
import { type RememberedRead, type ToolAnswer, toolText } from '../tool-output.ts';
import { type IfconfigInterface, parseIfconfig } from './parse-ifconfig.ts';

export const macosNetworkGatherer = (
  { tools, settings, intervals, timeouts }: MachineAccess,
  hardwarePorts: RememberedRead<readonly HardwarePort[]>,
): Gatherer => ({
  name: 'ifconfig',
  reports: [NETWORK],
  intervalMs: intervals.networkMs,
  gather: session => {
    const polling = new HintedPoll({
      intervalMs: intervals.networkMs,
      pauseMs: Math.min(intervals.networkMs, READS_APART_MS),
    });
    const read = async (signal: AbortSignal): Promise<void> => {
      const [text, ports] = await Promise.all([
        toolText('ifconfig', [], { tools, signal, timeoutMs: timeouts.toolMs }),
        hardwarePorts.get({ clock: session.clock, signal, ageMsMax: intervals.networkMs / 2 }),
      ]);
      const interfaces = text.kind === 'answered' ? parseIfconfig(text.value) : [];
      if (interfaces.length === 0) {
        const reason = text.kind === 'unanswered' ? text.reason : 'ifconfig lists no interface';
        session.fail(NETWORK, 'ifconfig', reason);
        return;
      }
      const ignored = settings().ignoredInterfaces;
      const listed = interfaces.filter(about => !ignored.includes(about.name));
      const described = listed.map(about => describeInterface(about, portNameOf(about.name, ports)));
      const guessed = listed.filter(
        about =>
          ports.kind === 'unanswered' && typeOfInterface(about, unknown(ports.reason)).isGuess === true,
      );
      session.emit('ifconfig', {
        kind: 'network',
        value: { interfaces: described },
        guessedTypes: guessed.map(({ name }) => name),
      });
    };
    return runConcurrently(
      session.signal,
      signal => polling.run({ clock: session.clock, signal }, read),
      signal => watchNetwork({ clock: session.clock, signal }, tools, () => polling.hint()),
    );
  },
});

const portNameOf = (device: string, ports: ToolAnswer<readonly HardwarePort[]>): Reported<string> => {
  if (ports.kind === 'unanswered') return unknown(ports.reason, ports.code);
  const port = ports.value.find(candidate => candidate.device === device);
  return port?.portName ?? unknown('no hardware port has this device');
};

const NETWORK: GatheredKind = { reading: 'network', vendor: 'none' };
/** Plugging in a cable makes a burst of changes; two reads a second are enough. */
const READS_APART_MS = 500;

// One long-lived `scutil` that watches the system's configuration store and prints a line at each change of an
// interface's link or addresses. Its lines are only a hint to read again: without it polling continues.

/** Calls `changed` for each line that reports a change; returns when the session aborts or scutil is missing. */
const watchNetwork = async (
  { clock, signal }: Pick<GatherSession, 'clock' | 'signal'>,
  tools: MachineTools,
  changed: () => void,
): Promise<void> => {
  while (!signal.aborted) {
    try {
      const lines = tools.lines('scutil', [], {
        signal,
        idleTimeoutMs: Number.POSITIVE_INFINITY,
        input: WATCH_COMMANDS,
      });
      for await (const line of lines) {
        if (/changed/i.test(line)) changed();
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ToolError)) throw error;
      if (error.code === 'tool-missing') return;
    }
    try {
      await clock.sleep(RESTART_MS, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
  }
};

/** Keys as scutil(8) and System Configuration name them; "pattern" makes the key a regular expression. */
const WATCH_COMMANDS = `n.add State:/Network/Interface
n.add State:/Network/Interface/[^/]+/Link "pattern"
n.add State:/Network/Interface/[^/]+/IPv4 "pattern"
n.add State:/Network/Interface/[^/]+/IPv6 "pattern"
n.watch
`;
const RESTART_MS = 30_000;

// One interface of `ifconfig`, with the name of its hardware port, as in the reading.
export const describeInterface = (about: IfconfigInterface, portName: Reported<string>): NetworkInterface => {
  const { type, evidence } = typeOfInterface(about, portName);
  return {
    name: about.name,
    type,
    typeEvidence: evidence,
    macAddress: about.macAddress ?? unknown('the interface has none'),
    isUp: isUp(about),
    speedBitsPerSecond: speedOf(about, type),
    mtuBytes: about.mtuBytes ?? unknown('ifconfig does not report it'),
    driver: unknown('ifconfig does not report it'),
    addresses: about.addresses,
    members: about.members,
  };
};

/** Tunnels and the loopback have no status line, so the flags decide. */
const isUp = ({ flags, status }: IfconfigInterface): boolean =>
  flags.includes('UP') && (status === undefined ? flags.includes('RUNNING') : status === 'active');

/** "media: autoselect (1000baseT <full-duplex>)", "10Gbase-T", "2500Base-T": the number is megabits unless a G follows. */
const speedOf = (about: IfconfigInterface, type: NetworkInterface['type']): Reported<number> => {
  if (about.status === 'inactive') return unknown('no carrier');
  const media = /(\d{1,6}(?:\.\d)?)(G?)base/i.exec(about.media ?? '');
  if (media !== null) return Math.round(Number(media[1]) * (media[2] === '' ? 1e6 : 1e9));
  if (type === 'thunderbolt') return unknown('reported with the Thunderbolt port');
  if (type === 'wifi') return unknown('ifconfig does not report the rate of Wi-Fi');
  return unknown('ifconfig reports no rate');
};

/**
 * What an interface is, by system evidence: its hardware port's name first, then ifconfig's own lines, then the driver
 * in its name. Never by an address range or its number.
 */
interface TypedInterface {
  readonly type: InterfaceType | Unknown;
  readonly evidence: string;
  /** By its media only: an iPhone's interface has that of Ethernet, too. A port map that was read decides. */
  readonly isGuess?: boolean;
}

/** `portName` is unknown if it is not a hardware port, or if the port map could not be read. */
export const typeOfInterface = (about: IfconfigInterface, portName: Reported<string>): TypedInterface => {
  if (about.flags.includes('LOOPBACK')) return { type: 'loopback', evidence: 'flag LOOPBACK' };
  if (about.vlanParent !== undefined) return { type: 'vlan', evidence: `VLAN on ${about.vlanParent}` };
  if (about.isBond) return { type: 'bond', evidence: 'ifconfig lists bond interfaces' };
  if (/^bridge\d+$/.test(about.name)) return { type: 'bridge', evidence: 'bridge device' };
  const byPort = typeof portName === 'string' ? typeOfPort(portName) : undefined;
  if (byPort !== undefined) return { type: byPort, evidence: `hardware port "${portName}"` };
  const byDriver = typeOfDriver(about);
  if (byDriver !== undefined) return byDriver;
  const standard = /\d+G?base[\w-]*/i.exec(about.media ?? '')?.[0];
  if (standard !== undefined) return { type: 'ethernet', evidence: `media ${standard}`, isGuess: true };
  const type = typeof portName === 'string' ? unknown(`hardware port "${portName}" has no kind`) : portName;
  return { type, evidence: type.reason };
};

const typeOfPort = (portName: string): InterfaceType | undefined => {
  if (/^Thunderbolt \d+$/.test(portName)) return 'thunderbolt';
  if (/^Thunderbolt Bridge\b/.test(portName)) return 'bridge';
  // German has its own word for it; the other names are the same in every language.
  if (/^(Wi-Fi|WLAN|AirPort)\b/i.test(portName)) return 'wifi';
  // "Thunderbolt Ethernet Slot 0" is a LAN card in a dock.
  if (/Ethernet|\bLAN\b/i.test(portName)) return 'ethernet';
  if (/^(iPhone|iPad)\b|\b(WWAN|Modem)\b/i.test(portName)) return 'cellular';
  if (/^Bluetooth PAN\b/i.test(portName)) return 'virtual';
  return undefined;
};

/** The name's letters are the name of the kernel's driver (bsd/net in XNU; names of Apple's own are observed). */
const typeOfDriver = ({ name, addresses }: IfconfigInterface): TypedInterface | undefined => {
  const driver = /^([A-Za-z]+)\d*$/.exec(name)?.[1] ?? '';
  if (TUNNELS.has(driver)) {
    // Every Mac has utun devices of its own services; only one with an address reaches another machine.
    const isRouted = addresses.some(address => address.scope === 'global' || address.scope === 'site');
    return isRouted
      ? { type: 'overlay', evidence: `tunnel device ${driver} with an address` }
      : { type: 'virtual', evidence: `tunnel device ${driver} without a routable address` };
  }
  const virtual = VIRTUAL.get(driver);
  return virtual === undefined ? undefined : { type: 'virtual', evidence: `${driver}: ${virtual}` };
};

const TUNNELS: ReadonlySet<string> = new Set(['utun', 'ipsec', 'ppp', 'tun', 'tap', 'feth']);
const VIRTUAL: ReadonlyMap<string, string> = new Map([
  ['awdl', 'Apple wireless direct link'],
  ['llw', 'low-latency wireless'],
  ['nan', 'neighbour awareness'],
  ['ap', 'Wi-Fi access point'],
  ['anpi', 'Apple internal device'],
  ['gif', 'generic tunnel'],
  ['stf', '6to4 tunnel'],
  ['vmnet', 'virtual machine network'],
  ['vmenet', 'virtual machine network'],
  ['pktap', 'packet capture'],
  ['pflog', 'packet filter log'],
]);
