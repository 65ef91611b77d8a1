// Thunderbolt ports of a Linux machine, read every few seconds: a cable may be plugged in at any time, and without a
// controller a check costs one readdir.

import type { NodeThunderbolt, ThunderboltPeer, ThunderboltPort } from '../../core/node/thunderbolt.ts';
import { isKnown, type Reported, unknown } from '../../core/unknown.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { digitsIn, isUnreadable, type MachineFiles, textOr, trimmed } from '../machine-files.ts';
import { poll } from '../poll.ts';

export const linuxThunderboltGatherer = ({ files, intervals }: MachineAccess): Gatherer => ({
  name: 'sysfs-thunderbolt',
  reports: [THUNDERBOLT],
  intervalMs: intervals.thunderboltMs,
  gather: async session => {
    let wasAbsent: boolean | undefined;
    await poll(session, intervals.thunderboltMs, () => {
      const value = readThunderbolt(files);
      if (value !== undefined) session.emit('sysfs', { kind: 'thunderbolt', value });
      else if (wasAbsent !== true) session.absent(THUNDERBOLT, 'sysfs', 'no Thunderbolt controller');
      wasAbsent = value === undefined;
    });
  },
});

const THUNDERBOLT: GatheredKind = { reading: 'thunderbolt', vendor: 'none' };

// Thunderbolt and USB4 on Linux (Documentation/ABI/testing/sysfs-bus-thunderbolt). A domain is one controller; "0-0" is
// its host router, "0-301" a device whose route string 0x301 names the port taken at each hop, lowest byte first.

/** Undefined if there is no controller. */
export const readThunderbolt = (files: MachineFiles): NodeThunderbolt | undefined => {
  const names = files.namesNow(BUS);
  if (isUnreadable(names)) return undefined;
  const domains = names
    .flatMap(name => /^domain(\d{1,4})$/.exec(name)?.[1] ?? [])
    .sort((a, b) => Number(a) - Number(b))
    .slice(0, DOMAINS_MAX);
  if (domains.length === 0) return undefined;
  const routers = names.slice(0, NAMES_MAX).flatMap(name => routerIn(files, name));
  return {
    ports: domains.flatMap(domain =>
      readPorts(
        files,
        domain,
        routers.filter(router => router.domain === domain),
        names,
      ),
    ),
    bridge: { kind: 'absent' },
  };
};

interface Router {
  readonly name: string;
  readonly domain: string;
  /** 1 for a device on the host's own port, more behind hubs and docks. */
  readonly hops: number;
  readonly hostPort: number;
  readonly isPeer: boolean;
}

/** "0-3" and "0-301"; not the host router "0-0", nor services such as "0-3.1" or retimers such as "0-0:1.1". */
const routerIn = (files: MachineFiles, name: string): readonly Router[] => {
  const match = /^(\d{1,4})-([0-9a-f]{1,16})$/.exec(name);
  const [, domain, digits] = match ?? [];
  if (domain === undefined || digits === undefined) return [];
  const route = BigInt(`0x${digits}`);
  if (route === 0n) return [];
  const isPeer = /^DEVTYPE=thunderbolt_xdomain$/m.test(textOr(files.textNow(`${BUS}/${name}/uevent`), ''));
  return [{ name, domain, hops: Math.ceil(digits.length / 2), hostPort: Number(route & 0xffn), isPeer }];
};

const readPorts = (
  files: MachineFiles,
  domain: string,
  routers: readonly Router[],
  names: readonly string[],
): readonly ThunderboltPort[] => {
  const host = `${BUS}/${domain}-0`;
  const listed = files.namesNow(host);
  const usb4Ports = (isUnreadable(listed) ? [] : listed).flatMap(
    name => /^usb4_port(\d{1,3})$/.exec(name)?.[1] ?? [],
  );
  const numbers = new Set([...usb4Ports.map(Number), ...routers.map(router => router.hostPort)]);
  const shared = {
    domainUuid: uuidOf(files, host),
    receptacle: unknown('Linux does not report the printed number'),
    rdmaInterfaceName: unknown('Linux has no RDMA over Thunderbolt'),
    capabilityBitsPerSecond: capabilityOf(files, host),
  };
  // Older controllers list no ports: then one entry shows that the controller exists.
  if (numbers.size === 0) {
    return [{ ...shared, busName: `domain${domain}`, ...EMPTY_PORT }];
  }
  return [...numbers]
    .sort((a, b) => a - b)
    .slice(0, PORTS_MAX)
    .map(number => {
      const attached = routers.filter(router => router.hostPort === number);
      const busName = `domain${domain} port ${number}`;
      if (attached.length === 0) return { ...shared, busName, ...EMPTY_PORT };
      const direct = attached.find(router => router.hops === 1);
      const peers = attached.filter(router => router.isPeer);
      return {
        ...shared,
        busName,
        interfaceName: interfaceNameOf(files, peers, names),
        status: 'connected',
        negotiatedBitsPerSecond:
          direct === undefined ? unknown('no direct neighbour') : rateOf(files, direct.name),
        peers: peers.flatMap(router => peerOf(files, router, names)),
        devices: attached.filter(router => !router.isPeer).map(router => deviceName(files, router.name)),
      };
    });
};

const peerOf = (
  files: MachineFiles,
  router: Router,
  names: readonly string[],
): readonly ThunderboltPeer[] => {
  const domainUuid = uuidOf(files, `${BUS}/${router.name}`);
  // Without an identifier the peer is unknown: the cable is there, the peer has not answered yet.
  if (!isKnown(domainUuid)) return [];
  return [
    {
      domainUuid,
      name: deviceName(files, router.name),
      isBehindHub: router.hops > 1,
      offersRdma: servicesOf(router.name, names).some(
        service => textOr(files.textNow(`${BUS}/${service}/prtcid`), '') === RDMA_PROTOCOL,
      ),
    },
  ];
};

const servicesOf = (router: string, names: readonly string[]): readonly string[] =>
  names.filter(name => name.startsWith(`${router}.`));

/** thunderbolt-net hangs its interface under the peer's network service. */
const interfaceNameOf = (
  files: MachineFiles,
  peers: readonly Router[],
  names: readonly string[],
): Reported<string> => {
  for (const peer of peers) {
    for (const service of servicesOf(peer.name, names)) {
      const interfaces = files.namesNow(`${BUS}/${service}/net`);
      const first = isUnreadable(interfaces) ? undefined : interfaces[0];
      if (first !== undefined) return first;
    }
  }
  return unknown('no network interface on this port');
};

const uuidOf = (files: MachineFiles, folder: string): Reported<string> => {
  const text = trimmed(files.textNow(`${folder}/unique_id`));
  if (!isKnown(text)) return text;
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
    ? text.toUpperCase()
    : unknown('not a UUID');
};

const deviceName = (files: MachineFiles, name: string): string => {
  const vendor = textOr(files.textNow(`${BUS}/${name}/vendor_name`), '');
  const device = textOr(files.textNow(`${BUS}/${name}/device_name`), '');
  const joined = [vendor, device]
    .filter(part => part !== '')
    .join(' ')
    .slice(0, NAME_LENGTH_MAX);
  return joined === '' ? name : joined;
};

/** rx_speed "20.0 Gb/s" is for one lane; an asymmetric link receives on one or three lanes. */
const rateOf = (files: MachineFiles, name: string): Reported<number> => {
  const speed = trimmed(files.textNow(`${BUS}/${name}/rx_speed`));
  if (!isKnown(speed)) return speed;
  const gigabits = /^(\d{1,3}(?:\.\d{1,3})?) Gb\/s$/.exec(speed)?.[1];
  const lanes = digitsIn(textOr(files.textNow(`${BUS}/${name}/rx_lanes`), undefined));
  if (gigabits === undefined || lanes === undefined || lanes === 0)
    return unknown('speed or lanes are not reported');
  return Math.round(Number(gigabits) * lanes * 1e9);
};

const capabilityOf = (files: MachineFiles, host: string): Reported<number> => {
  const generation = textOr(files.textNow(`${host}/generation`), '');
  return (
    GENERATIONS.get(generation) ??
    unknown(
      generation === '4'
        ? 'controllers of both USB4 versions look the same here'
        : 'the controller does not report it',
    )
  );
};

const BUS = '/sys/bus/thunderbolt/devices';
/** Thunderbolt 1, 2 and 3. */
const GENERATIONS: ReadonlyMap<string, number> = new Map([
  ['1', 10e9],
  ['2', 20e9],
  ['3', 40e9],
]);
/** Apple's RDMA service, seen on Macs that have it switched on. */
const RDMA_PROTOCOL = '64087';
const NAME_LENGTH_MAX = 120;
const DOMAINS_MAX = 64;
const PORTS_MAX = 16;
/** A chain holds six devices; a machine has a handful of controllers. */
const NAMES_MAX = 512;
const NOTHING = unknown('nothing is connected');
const EMPTY_PORT = {
  interfaceName: NOTHING,
  status: 'empty',
  negotiatedBitsPerSecond: NOTHING,
  peers: [],
  devices: [],
} as const;
