// Stand-ins for what a recording should not reveal, each in a form that is still valid for its kind.

import { isIPv4, isIPv6 } from 'node:net';
import { type NodeId, nodeId } from '../core/ids.ts';

/**
 * Stand-ins for what a recording should not reveal. Equal values get equal stand-ins, different values different ones,
 * each in a valid form: an address stays an address, and a link-local one link-local.
 */
export class Pseudonyms {
  readonly #held = new Map<string, Map<string, string>>();

  /** The stand-in of `real` within one class; a new one is made from its number, from 1. */
  of(kind: string, real: string, make: (number: number) => string): string {
    const names = this.#held.get(kind) ?? new Map<string, string>();
    this.#held.set(kind, names);
    const known = names.get(real);
    if (known !== undefined) return known;
    const made = make(names.size + 1);
    names.set(real, made);
    return made;
  }

  nodeId(real: NodeId): NodeId {
    return nodeId(this.of('node id', real, number => `recordednode${String(number).padStart(14, '0')}`));
  }

  /** Addresses that are the same on every machine stay. */
  address(real: string): string {
    if (isIPv4(real)) return this.#ipv4(real);
    return isIPv6(real) ? this.#ipv6(real.toLowerCase()) : real;
  }

  uuid(real: string): string {
    const made = this.of('uuid', real.toLowerCase(), number => `00000000-0000-4000-8000-${hex(number, 12)}`);
    return real === real.toUpperCase() ? made.toUpperCase() : made;
  }

  /** 02:… is locally administered and belongs to no maker. */
  mac(real: string): string {
    const joint = real.includes('-') ? '-' : ':';
    const made = this.of('mac', real.toLowerCase().replaceAll('-', ':'), number =>
      ['02', ...(hex(number, 10).match(/../g) ?? [])].join(':'),
    );
    return made.replaceAll(':', joint);
  }

  /** A hardware address, or a word derived from one: same length. */
  word(real: string): string {
    return this.of(`word of ${real.length}`, real.toLowerCase(), number => hex(number, real.length));
  }

  guid(real: string): string {
    return real === DEFAULT_SUBNET_PREFIX ? real : this.of('guid', real, number => hex(number, 16));
  }

  /** Names assigned by the system stay: en0, enp5s0f0, rdma_en3. One with a hardware address in it does not. */
  interfaceName(real: string): string {
    if (SYSTEM_INTERFACE.test(real)) return real;
    return this.of('interface', real, number => `if${number}`);
  }

  /** Kernel-numbered names stay: /dev/nvme0n1p2. Volume groups are often named after their machine. */
  blockDevice(real: string): string {
    if (KERNEL_DEVICE.test(real)) return real;
    return real.startsWith('/dev/')
      ? this.of('device file', real, number => `/dev/device-${number}`)
      : this.of('share', real, number => `share-${number}`);
  }

  /** A server started with a folder names its model after it: only the last part is the model's name. */
  modelName(real: string): string {
    const parts = real.split(/[/\\]/).filter(part => part !== '');
    return FOLDER.test(real) || parts.length > 2 ? (parts.at(-1) ?? 'model') : real;
  }

  #ipv4(real: string): string {
    if (/^127\.|^0\.0\.0\.0$|^255\.|^224\./.test(real)) return real;
    // 169.254/16 is IPv4's own link-local range (RFC 3927); 198.18/15 is reserved for benchmarking (RFC 2544).
    const isLinkLocal = real.startsWith('169.254.');
    return this.of(isLinkLocal ? 'link-local IPv4' : 'IPv4', real, number => {
      const [high, low] = [Math.floor(number / 250) % 250, (number % 250) + 1];
      return isLinkLocal
        ? `169.254.${high}.${low}`
        : `198.${18 + (Math.floor(number / 62_500) % 2)}.${high}.${low}`;
    });
  }

  #ipv6(real: string): string {
    if (real === '::1' || real === '::' || real.startsWith('ff')) return real;
    if (/^fe[89ab]/.test(real)) return this.of('link-local IPv6', real, number => `fe80::${hex(number, 1)}`);
    // 2001:db8::/32 is reserved for documentation (RFC 3849).
    return this.of('IPv6', real, number => `2001:db8::${hex(number, 1)}`);
  }
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

const DEFAULT_SUBNET_PREFIX = 'fe80000000000000';
/** Second line: names by systemd and udev for slots, ports and nested ports (systemd.net-naming-scheme). */
const SYSTEM_INTERFACE = new RegExp(
  '^(?:rdma_)?(?:lo\\d?|(?:eth|wlan|wwan|ib|bond|br|bridge|utun|awdl|llw|ap|anpi|gif|stf|docker|tailscale|wg|tun|tap|thunderbolt|rxe|siw|hfi|irdma|efa_)\\d+' +
    '|(?:en|wl|ww|ib|roce)(?:\\d+|[abcdeinopsuvP]\\d+(?:[a-zA-Z]{1,2}\\d+)*)' +
    '|(?:mlx\\d+|bnxt_re|hfi\\d+)_?\\d+)$',
);
const KERNEL_DEVICE =
  /^(?:\/dev\/(?:[hsvx]v?d[a-z]{1,3}\d*|nvme\d+n\d+(?:p\d+)?|mmcblk\d+(?:p\d+)?|md\d+|dm-\d+|disk\d+(?:s\d+)*|loop\d+|zram\d+|ram\d+|root|fuse))$/;
const FOLDER = /^(?:[/~\\]|\.{1,2}[/\\]|[a-z]:[/\\]|file:)/i;
