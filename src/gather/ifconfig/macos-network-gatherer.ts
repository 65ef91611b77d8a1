// Network interfaces of a Mac: `ifconfig` for addresses, state and rate, `networksetup` for what each device is. A
// watching `scutil` hurries the next read when a link or an address changes.

import type { NetworkInterface } from '../../core/node/network.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import type { MacosOptions } from '../macos-options.ts';
import type { HardwarePort } from '../networksetup/parse-hardware-ports.ts';
import type { Parsed } from '../parsed.ts';
import type { RememberedRead } from '../remembered-read.ts';
import { runBeside } from '../run-beside.ts';
import { watchNetwork } from '../scutil/network-watch.ts';
import { WakeablePoll } from '../scutil/wakeable-poll.ts';
import { toolText } from '../tool-text.ts';
import { typeOfInterface } from './interface-type.ts';
import { type IfconfigInterface, parseIfconfig } from './parse-ifconfig.ts';

export const macosNetworkGatherer = (
  { env, settings, intervals, timeouts }: MacosOptions,
  hardwarePorts: RememberedRead<readonly HardwarePort[]>,
): Gatherer => ({
  name: 'ifconfig',
  tells: [NETWORK],
  intervalMs: intervals.networkMs,
  gather: session => {
    const polling = new WakeablePoll({
      intervalMs: intervals.networkMs,
      pauseMs: Math.min(intervals.networkMs, READS_APART_MS),
    });
    const read = async (signal: AbortSignal): Promise<void> => {
      const [text, ports] = await Promise.all([
        toolText('ifconfig', [], { env, signal, timeoutMs: timeouts.toolMs }),
        hardwarePorts.get({ clock: session.clock, signal, ageMsMax: intervals.networkMs / 2 }),
      ]);
      const interfaces = text.kind === 'parsed' ? parseIfconfig(text.value) : [];
      if (interfaces.length === 0) {
        const reason = text.kind === 'unreadable' ? text.reason : 'ifconfig lists no interface';
        return session.fail(NETWORK, 'ifconfig', reason);
      }
      const ignored = settings().ignoredInterfaces;
      const described = interfaces
        .filter(about => !ignored.includes(about.name))
        .map(about => describe(about, portNameOf(about.name, ports)));
      session.emit('ifconfig', { kind: 'network', value: { interfaces: described } });
    };
    return runBeside(
      session.signal,
      signal => polling.run({ clock: session.clock, signal }, read),
      signal => watchNetwork({ clock: session.clock, signal }, env, () => polling.wake()),
    );
  },
});

const describe = (about: IfconfigInterface, portName: Reported<string>): NetworkInterface => {
  const { type, evidence } = typeOfInterface(about, portName);
  return {
    name: about.name,
    type,
    typeEvidence: evidence,
    macAddress: about.macAddress ?? unknown('the interface has none'),
    isUp: isUp(about),
    speedBitsPerSecond: speedOf(about, type),
    mtuBytes: about.mtuBytes ?? unknown('ifconfig does not tell'),
    driver: unknown('ifconfig does not tell'),
    addresses: about.addresses,
    members: about.members,
  };
};

/** Tunnels and the loopback have no status line: there the flags decide. */
const isUp = ({ flags, status }: IfconfigInterface): boolean =>
  flags.includes('UP') && (status === undefined ? flags.includes('RUNNING') : status === 'active');

/** "media: autoselect (1000baseT <full-duplex>)", "10Gbase-T", "2500Base-T": the number is megabits unless a G follows. */
const speedOf = (about: IfconfigInterface, type: NetworkInterface['type']): Reported<number> => {
  if (about.status === 'inactive') return unknown('no carrier');
  const media = /(\d{1,6}(?:\.\d)?)(G?)base/i.exec(about.media ?? '');
  if (media !== null) return Math.round(Number(media[1]) * (media[2] === '' ? 1e6 : 1e9));
  if (type === 'thunderbolt') return unknown('told with the Thunderbolt port');
  if (type === 'wifi') return unknown('ifconfig does not tell the rate of Wi-Fi');
  return unknown('ifconfig names no rate');
};

const portNameOf = (device: string, ports: Parsed<readonly HardwarePort[]>): Reported<string> => {
  if (ports.kind === 'unreadable') return unknown(ports.reason);
  const port = ports.value.find(candidate => candidate.device === device);
  return port?.portName ?? unknown('no hardware port has this device');
};

const NETWORK: GatheredKind = { reading: 'network', vendor: 'none' };
/** A cable being plugged makes a burst of changes; two reads a second are enough for it. */
const READS_APART_MS = 500;
