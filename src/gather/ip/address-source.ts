// The addresses of all interfaces. `ip` runs once after each change and not at each reading, so an idle daemon starts
// no process; if it is missing or broken, the C library's list is used.

import type { Clock } from '../../clock/clock.ts';
import type { InterfaceAddress } from '../../core/node/network.ts';
import { isUnreadable, type MachineFiles, textOr } from '../machine-files.ts';
import type { ListAddresses } from '../machine-host.ts';
import type { MachineTools } from '../machine-tools.ts';
import { toolText } from '../tool-output.ts';
import { type AddressTable, parseIpAddr } from './parse-ip-addr.ts';

interface AddressSourceOptions {
  readonly files: MachineFiles;
  readonly tools: MachineTools;
  readonly clock: Clock;
  readonly listAddresses: ListAddresses;
  readonly timeoutMs: number;
}

export interface Addresses {
  readonly table: AddressTable;
  /** "ip" or "getifaddrs". */
  readonly source: string;
}

export class AddressSource {
  readonly #options: AddressSourceOptions;
  #fingerprint: string | undefined;
  #last: Addresses | undefined;
  #notBeforeMs = Number.NEGATIVE_INFINITY;

  constructor(options: AddressSourceOptions) {
    this.#options = options;
  }

  /**
   * `isHinted`: a change was reported, which the fingerprint may not show.
   * @throws only the signal's reason, when it aborts.
   */
  async read(isHinted: boolean, signal: AbortSignal): Promise<Addresses> {
    const { tools, clock, listAddresses, timeoutMs } = this.#options;
    const listed = hostAddresses(listAddresses);
    const fingerprint = this.#fingerprintOf(listed);
    const isFromIp = this.#last?.source === 'ip';
    if (this.#last !== undefined && isFromIp && !isHinted && fingerprint === this.#fingerprint)
      return this.#last;
    this.#fingerprint = fingerprint;
    this.#last = { table: listed, source: 'getifaddrs' };
    if (clock.nowMs() < this.#notBeforeMs) return this.#last;

    const text = await toolText('ip', ['-j', 'addr'], { tools, signal, timeoutMs });
    const answer = text.kind === 'answered' ? parseIpAddr(text.value) : text;
    if (answer.kind === 'answered') this.#last = { table: answer.value, source: 'ip' };
    else this.#notBeforeMs = clock.nowMs() + REQUEST_AGAIN_MS;
    return this.#last;
  }

  /** Cheap to make, and different after nearly every change of an address or of a link. */
  #fingerprintOf(listed: AddressTable): string {
    const { files } = this.#options;
    const names = files.namesNow('/sys/class/net');
    const states = (isUnreadable(names) ? [] : names).map(
      name => `${name} ${textOr(files.textNow(`/sys/class/net/${name}/operstate`), '')}`,
    );
    return JSON.stringify([...listed, states, textOr(files.textNow('/proc/net/if_inet6'), '')]);
  }
}

/**
 * Addresses as the C library lists them: available in every process, but without those of interfaces with no carrier,
 * and without scopes. Used to notice a change, and as the only source if there is no `ip`.
 */
export const hostAddresses = (list: ListAddresses): AddressTable => {
  const table = new Map<string, InterfaceAddress[]>();
  for (const [label, infos] of Object.entries(list())) {
    // A second IPv4 address may carry a label of its own, "eno1:1"; no interface name has a colon.
    const name = label.split(':')[0] ?? label;
    const addresses = table.get(name) ?? [];
    table.set(name, addresses);
    for (const { address, family, cidr } of infos ?? []) {
      const prefixLength = Number(cidr?.split('/')[1] ?? Number.NaN);
      if (!Number.isInteger(prefixLength)) continue;
      const isIpv4 = family === 'IPv4';
      addresses.push({
        address,
        family: isIpv4 ? 'ipv4' : 'ipv6',
        prefixLength,
        scope: isIpv4 ? ipv4Scope(address) : ipv6Scope(address),
      });
    }
  }
  return table;
};

/** The kernel keeps a scope with each IPv4 address; these are those it gives by itself. */
const ipv4Scope = (address: string): InterfaceAddress['scope'] =>
  address.startsWith('127.') ? 'host' : address.startsWith('169.254.') ? 'link' : 'global';

/** RFC 4291 §2.4, RFC 3879 for the old site-local range. */
const ipv6Scope = (address: string): InterfaceAddress['scope'] => {
  if (address === '::1') return 'host';
  const group = Number.parseInt(address.split(':')[0] ?? '', 16);
  if ((group & 0xffc0) === 0xfe80) return 'link';
  return (group & 0xffc0) === 0xfec0 ? 'site' : 'global';
};

/** After `ip` was missing, hung or printed something else. */
const REQUEST_AGAIN_MS = 300_000;
