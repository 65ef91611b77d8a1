// What has gone wrong on the cables and slots of a Linux machine, from sysfs. No process is started. What a driver does not
// count is unknown with its reason, and so is the growth of a counter that has stopped at its maximum.

import { PORT_COUNTER_NAMES, PORT_COUNTERS, type PortHealth } from '../../core/node/port-health.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import { rdmaPortFolders } from '../infiniband/port-counters.ts';
import type { MachineAccess } from '../machine-access.ts';
import { isUnreadable, type MachineFiles, notRead, readFailed } from '../machine-files.ts';
import { poll } from '../poll.ts';
import { counterIn } from '../traffic-meter.ts';
import { HourCounts } from './hour-counts.ts';

export const linuxPortHealthGatherer = ({ files, intervals, settings }: MachineAccess): Gatherer => ({
  name: 'sysfs-port-health',
  reports: [PORT_HEALTH],
  intervalMs: LOOKS * intervals.networkMs,
  gather: async session => {
    const { clock } = session;
    const reader = new PortReader(files);
    let devices: readonly Port[] = [];
    let lookedAtMs = Number.NEGATIVE_INFINITY;
    await poll(session, LOOKS * intervals.networkMs, async () => {
      const nowMs = clock.nowMs();
      if (nowMs - lookedAtMs >= LOOK_AGAIN_MS) {
        devices = pciDevices(files);
        lookedAtMs = nowMs;
      }
      const interfaces = interfacePorts(files, new Set(settings().ignoredInterfaces));
      const rdma = rdmaPortFolders(files).map(({ folder, name }): Port => ({ kind: 'rdma', folder, name }));
      const ports = await reader.read([...interfaces, ...rdma].slice(0, PORTS_MAX), nowMs);
      const slots = await reader.read(devices, nowMs);
      reader.endLook();
      session.emit('sysfs', {
        kind: 'portHealth',
        value: {
          ports,
          slots:
            devices.length === 0
              ? unknown(
                  'no PCI device counts errors (AER): a virtual machine, or switched off in the firmware',
                )
              : slots
                  .filter((slot, index) => devices[index]?.isBridge !== true || hasErrors(slot))
                  .slice(0, SLOTS_MAX),
        },
      });
    });
  },
});

interface Port extends Pick<PortHealth, 'name' | 'kind'> {
  readonly folder: string;
  readonly interfaceName?: string;
  /** One of many that nobody looks for, while it is sound. */
  readonly isBridge?: boolean;
}

const hasErrors = ({ counters }: PortHealth): boolean =>
  counters.some(({ total }) => typeof total === 'number' && total > 0);

class PortReader {
  readonly #files: MachineFiles;
  readonly #hours = new HourCounts();

  constructor(files: MachineFiles) {
    this.#files = files;
  }

  /** Forgets ports that are gone. */
  endLook(): void {
    this.#hours.endLook();
  }

  async read(ports: readonly Port[], nowMs: number): Promise<PortHealth[]> {
    const all: PortHealth[] = [];
    for (const port of ports) all.push(await this.#port(port, nowMs));
    return all;
  }

  async #port({ name, kind, folder, interfaceName }: Port, nowMs: number): Promise<PortHealth> {
    const counters: PortHealth['counters'][number][] = [];
    for (const counter of PORT_COUNTER_NAMES) {
      const row = PORT_COUNTERS[counter];
      if (row.kind !== kind) continue;
      const total = await this.#total(`${folder}/${row.file}`, row.line);
      if (isUnknown(total)) counters.push({ counter, total, lastHour: total, observedMs: 0 });
      else if (total === row.max) {
        const lastHour = unknown(`the counter stopped at its maximum of ${row.max}`);
        counters.push({ counter, total, lastHour, observedMs: 0 });
      } else counters.push({ counter, total, ...this.#hours.read(`${folder} ${counter}`, total, nowMs) });
    }
    return { name, kind, ...(interfaceName === undefined ? {} : { interfaceName }), counters };
  }

  /** Off this thread: reads of RDMA counters query the adapter. */
  async #total(path: string, line: string | undefined): Promise<Reported<number>> {
    const read = await this.#files.text(path);
    if (isUnreadable(read)) return notRead(read);
    const text =
      line === undefined
        ? read.trim()
        : read
            .split('\n')
            .find(each => each.startsWith(`${line} `))
            ?.slice(line.length + 1)
            .trim();
    return counterIn(text) ?? unknown('not of the form that Linux writes');
  }
}

/**
 * Those with a device first, so that the limit cuts off those of containers. Without what has no cable of its own: bridges,
 * bonds and VLANs have the carrier of others, tunnels and the loopback have none.
 */
const interfacePorts = (files: MachineFiles, ignored: ReadonlySet<string>): readonly Port[] => {
  const names = files.namesNow('/sys/class/net');
  if (isUnreadable(names)) throw readFailed(names);
  return [...names]
    .filter(name => !ignored.has(name))
    .sort()
    .flatMap(name => {
      const folder = `/sys/class/net/${name}`;
      const attributes = files.namesNow(folder);
      const isPort =
        !isUnreadable(attributes) &&
        attributes.includes('carrier_changes') &&
        !attributes.some(attribute => WITHOUT_CABLE.test(attribute)) &&
        name !== 'lo';
      return isPort ? [{ name, folder, hasDevice: attributes.includes('device') }] : [];
    })
    .sort((a, b) => Number(b.hasDevice) - Number(a.hasDevice))
    .map(({ name, folder }): Port => ({ kind: 'interface', name, folder }));
};

/** Drives, network adapters, GPUs and accelerators, with the bridges above; nothing of a machine without AER. */
const pciDevices = (files: MachineFiles): readonly Port[] => {
  const addresses = files.namesNow('/sys/bus/pci/devices');
  if (isUnreadable(addresses)) return [];
  const found = [...addresses].sort().flatMap((address): readonly Port[] => {
    const folder = `/sys/bus/pci/devices/${address}`;
    const attributes = files.namesNow(folder);
    if (isUnreadable(attributes) || !attributes.includes('aer_dev_correctable')) return [];
    const text = files.textNow(`${folder}/class`);
    const pciClass = isUnreadable(text) ? '' : text.trim().slice(2, 6);
    const isBridge = pciClass === PCI_BRIDGE;
    if (!isBridge && !ENDPOINT_CLASS.test(pciClass)) return [];
    const nets = attributes.includes('net') ? files.namesNow(`${folder}/net`) : [];
    const interfaceName = isUnreadable(nets) ? undefined : [...nets].sort()[0];
    return [
      {
        kind: 'pcie',
        name: address,
        folder,
        isBridge,
        ...(interfaceName === undefined ? {} : { interfaceName }),
      },
    ];
  });
  return found.toSorted((a, b) => Number(a.isBridge) - Number(b.isBridge)).slice(0, DEVICES_MAX);
};

const PORT_HEALTH: GatheredKind = { reading: 'portHealth', vendor: 'none' };
const WITHOUT_CABLE = /^(?:bridge|bonding|tun_flags|lower_.+)$/;
/** Mass storage 01, network 02, display 03, accelerator 12. */
const ENDPOINT_CLASS = /^(?:01|02|03|12)/;
const PCI_BRIDGE = '0604';
/** A third as often as interfaces: a server has many of these figures, and an hour of them is what counts. */
const LOOKS = 3;
const PORTS_MAX = 64;
const DEVICES_MAX = 256;
const SLOTS_MAX = 64;
/** Devices are seldom added: a look reads the folder of each. */
const LOOK_AGAIN_MS = 60_000;
