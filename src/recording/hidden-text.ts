// Hides in running text and in keys what is known to be a name, and what looks like an id, an address or a path.

import { isIP, isIPv4, isIPv6 } from 'node:net';
import type { NodeId } from '../core/ids.ts';
import { isNodeId, nodeId } from '../core/ids.ts';

export class HiddenText {
  readonly pseudonyms: Pseudonyms = new Pseudonyms();
  readonly #names = new Map<string, string>();
  #namesPattern: RegExp | undefined;

  /** From now on the name is replaced wherever it stands as a word; gives its stand-in. */
  learn(kind: 'node' | 'host' | 'run', name: string): string {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const made = this.pseudonyms.of(kind, name, number =>
      kind === 'host' ? `host-${number}.example` : `${kind}-${number}`,
    );
    this.#names.set(name, made);
    this.#namesPattern = undefined;
    return made;
  }

  hidden(text: string): string {
    return this.#withoutNames(text)
      .replace(URL_IN_TEXT, url => this.#url(url))
      .replace(UUID, uuid => this.pseudonyms.uuid(uuid))
      .replace(MAC, mac => this.pseudonyms.mac(mac))
      .replace(NODE_ID, id => (isNodeId(id) ? this.pseudonyms.nodeId(id) : id))
      .replace(ADDRESS, address => (isIP(address) === 0 ? address : this.pseudonyms.address(address)))
      .replace(PATH, path => this.pseudonyms.of('path', path, number => `/path-${number}`));
  }

  /** Of parts with spaces between: ids, addresses, interfaces. */
  key(key: string): string {
    const parts = key.split(' ');
    const isRdma = parts.slice(0, 3).includes('rdma');
    return parts.map(part => (isRdma ? this.#rdmaPart(part) : this.#part(part))).join(' ');
  }

  /** With the scope that a link-local one has: an interface of this machine. */
  address(text: string): string {
    const [address = '', scope] = text.split('%');
    const hidden = isIP(address) === 0 ? this.hidden(address) : this.pseudonyms.address(address);
    return scope === undefined ? hidden : `${hidden}%${this.pseudonyms.interfaceName(scope)}`;
  }

  #part(part: string): string {
    return isIP(part.split('%')[0] ?? '') === 0 ? this.hidden(part) : this.address(part);
  }

  #rdmaPart(part: string): string {
    if (part === 'rdma' || part === 'link') return part;
    return isNodeId(part) ? this.pseudonyms.nodeId(part) : this.pseudonyms.interfaceName(part);
  }

  #withoutNames(text: string): string {
    this.#namesPattern ??= namesPattern([...this.#names.keys()]);
    return text.replace(this.#namesPattern, name => this.#names.get(name) ?? name);
  }

  /** Scheme and port stay, and that it is the versioned root of an API. */
  #url(text: string): string {
    if (!URL.canParse(text)) return 'http://host';
    const { protocol, hostname, port, pathname } = new URL(text);
    const bare = hostname.replace(/^\[|\]$/g, '');
    const host = isIP(bare) === 0 ? this.#hostName(bare) : this.pseudonyms.address(bare);
    const shown = host.includes(':') ? `[${host}]` : host;
    return `${protocol}//${shown}${port === '' ? '' : `:${port}`}${pathname.startsWith('/v1') ? '/v1' : ''}`;
  }

  #hostName(name: string): string {
    if (name === 'localhost' || [...this.#names.values()].includes(name)) return name;
    return this.pseudonyms.of('host', name, number => `host-${number}.example`);
  }
}

/**
 * Stand-ins for what a recording should not tell. Equal things get equal stand-ins, different ones different ones, each of a
 * form that still passes for its kind: an address stays an address, and a link-local one link-local.
 */
export class Pseudonyms {
  readonly #held = new Map<string, Map<string, string>>();

  /** The stand-in of `real` among those of one class; made by its number, from 1, when it is new. */
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

  /** 02:… is administered locally and belongs to no maker. */
  mac(real: string): string {
    return this.of('mac', real.toLowerCase(), number =>
      ['02', ...(hex(number, 10).match(/../g) ?? [])].join(':'),
    );
  }

  guid(real: string): string {
    return real === DEFAULT_SUBNET_PREFIX ? real : this.of('guid', real, number => hex(number, 16));
  }

  /** Names that a system gives by itself stay: en0, enp5s0f0, rdma_en3. One with a hardware address in it does not. */
  interfaceName(real: string): string {
    if (SYSTEM_INTERFACE.test(real) && !/^enx/.test(real)) return real;
    return this.of('interface', real, number => `if${number}`);
  }

  #ipv4(real: string): string {
    if (/^127\.|^0\.0\.0\.0$|^255\.|^224\./.test(real)) return real;
    // 169.254/16 is IPv4's own link-local range (RFC 3927); 198.18/15 is kept for benches (RFC 2544).
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
    // 2001:db8::/32 is kept for documents (RFC 3849).
    return this.of('IPv6', real, number => `2001:db8::${hex(number, 1)}`);
  }
}

/** Longest first, so that a name within another does not cut it. */
const namesPattern = (names: readonly string[]): RegExp => {
  const escaped = names
    .filter(name => name !== '')
    .toSorted((a, b) => b.length - a.length)
    .map(name => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  // Without names: matches nothing.
  return new RegExp(
    escaped.length === 0 ? '(?!)' : `(?<![\\p{L}\\p{N}])(?:${escaped.join('|')})(?![\\p{L}\\p{N}])`,
    'gu',
  );
};

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

const URL_IN_TEXT = /\b(?:https?|wss?):\/\/[^\s"'<>]+/g;
const UUID = /\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b/g;
const MAC = /\b(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}\b/g;
const NODE_ID = /\b[a-z2-7]{26}\b/g;
/** Candidates: what `isIP` refuses stays. */
const ADDRESS = /(?<![\w:.])(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F:]*::?[0-9a-fA-F:.]+)(?![\w:.])/g;
/** Of two steps or more; what a system has by itself stays. */
const PATH = /(?<![\w:/.-])\/(?!(?:proc|sys|dev|usr|etc|System)\/)[^\s"',;:()/]+\/[^\s"',;:()]*/g;
const DEFAULT_SUBNET_PREFIX = 'fe80000000000000';
const SYSTEM_INTERFACE =
  /^(rdma_)?(lo\d?|(eth|wlan|ib|bond|br|bridge|utun|awdl|llw|ap|anpi|gif|stf|docker|tailscale|wg|tun|tap|thunderbolt|rxe|siw|hfi|irdma|efa_)\d+|(mlx\d+|bnxt_re|hfi\d+)_?\d+|(en|wl|ww|ib|roce)[a-zA-Z]*\d[a-zA-Z0-9]*)$/;
