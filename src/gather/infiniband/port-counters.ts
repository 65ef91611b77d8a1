// What the RDMA ports of a Linux machine have carried, from sysfs (Documentation/ABI/stable/sysfs-class-infiniband). The files
// stay open: sixty-four of them are read once a second on a machine with eight adapters.

import type { CountedPort, PortCounts } from '../../core/node/traffic.ts';
import { unknown } from '../../core/unknown.ts';
import { digitsIn, isUnreadable, type KeptFile, type MachineFiles } from '../machine-files.ts';
import { counterIn } from '../traffic-meter.ts';

export class RdmaPortCounters implements Disposable {
  readonly #files: MachineFiles;
  #ports: readonly OpenPort[] = [];

  constructor(files: MachineFiles) {
    this.#files = files;
  }

  /** Looks again which ports there are. */
  look(): void {
    const found = rdmaPortFolders(this.#files);
    const before = new Map(this.#ports.map(port => [port.folder, port]));
    this.#ports = found.map(
      ({ folder, name }) => before.get(folder) ?? new OpenPort(this.#files, folder, name),
    );
    for (const port of before.values()) if (!this.#ports.includes(port)) port[Symbol.dispose]();
  }

  /** A port whose driver reports no counters, whose counters are stuck, or that is gone, is left out. Not on this thread: reads query the adapter. */
  async read(): Promise<readonly CountedPort[]> {
    const reported = await Promise.all(this.#ports.map(port => port.read()));
    return reported.filter(port => port !== undefined);
  }

  [Symbol.dispose](): void {
    for (const port of this.#ports) port[Symbol.dispose]();
    this.#ports = [];
  }
}

class OpenPort implements Disposable {
  readonly folder: string;
  readonly #name: string;
  readonly #files: readonly KeptFile[];

  constructor(files: MachineFiles, folder: string, name: string) {
    this.folder = folder;
    this.#name = name;
    this.#files = COUNTERS.map(counter => files.keepOpen(`${folder}/counters/${counter}`));
  }

  async read(): Promise<CountedPort | undefined> {
    const [received, sent, receivedPackets, sentPackets, receivedErrors, sentDrops] = await Promise.all(
      this.#files.map(async file => {
        const text = await file.read();
        const count = isUnreadable(text) ? undefined : counterIn(text.trim());
        return count === STUCK_AT ? undefined : count;
      }),
    );
    if (received === undefined || sent === undefined) return undefined;
    return {
      name: this.#name,
      kind: 'rdma',
      received: {
        bytes: received * WORD_BYTES,
        packets: receivedPackets ?? NOT_REPORTED,
        errors: receivedErrors ?? NOT_REPORTED,
        drops: NOT_COUNTED,
      },
      sent: {
        bytes: sent * WORD_BYTES,
        packets: sentPackets ?? NOT_REPORTED,
        errors: NOT_COUNTED,
        drops: sentDrops ?? NOT_REPORTED,
      } satisfies PortCounts,
    };
  }

  [Symbol.dispose](): void {
    for (const file of this.#files) file[Symbol.dispose]();
  }
}

/** With the names that connections give them: `rdmaInterfaceName` of core. */
export const rdmaPortFolders = (
  files: MachineFiles,
): readonly { readonly folder: string; readonly name: string }[] => {
  const devices = files.namesNow('/sys/class/infiniband');
  if (isUnreadable(devices)) return [];
  return [...devices].sort().flatMap(device => {
    const listed = files.namesNow(`/sys/class/infiniband/${device}/ports`);
    const numbers = isUnreadable(listed) ? [] : listed.filter(one => digitsIn(one) !== undefined);
    return numbers.map(number => ({
      folder: `/sys/class/infiniband/${device}/ports/${number}`,
      name: numbers.length > 1 ? `${device}:${number}` : device,
    }));
  });
};

const COUNTERS = [
  'port_rcv_data',
  'port_xmit_data',
  'port_rcv_packets',
  'port_xmit_packets',
  'port_rcv_errors',
  'port_xmit_discards',
] as const;
/** Data counters count words of four bytes for every port width. */
const WORD_BYTES = 4;
/**
 * Without extended counters a port's counters have 32 bits and stop at the maximum, as InfiniBand defines it: an increase of 0
 * would be reported as no traffic.
 */
const STUCK_AT = 0xff_ff_ff_ff;
const NOT_REPORTED = unknown('the driver does not report it');
const NOT_COUNTED = unknown('RDMA ports do not count it');
