// Hides in running text and in keys what is known to be a name, and what looks like an id, an address or a path.

import { isIP } from 'node:net';
import { isNodeId } from '../core/ids.ts';
import { Pseudonyms } from './pseudonyms.ts';

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

const URL_IN_TEXT = /\b(?:https?|wss?):\/\/[^\s"'<>]+/g;
const UUID = /\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b/g;
const MAC = /\b(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}\b/g;
const NODE_ID = /\b[a-z2-7]{26}\b/g;
/** Candidates: what `isIP` refuses stays. */
const ADDRESS = /(?<![\w:.])(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F:]*::?[0-9a-fA-F:.]+)(?![\w:.])/g;
/** Of two steps or more; what a system has by itself stays. */
const PATH = /(?<![\w:/.-])\/(?!(?:proc|sys|dev|usr|etc|System)\/)[^\s"',;:()/]+\/[^\s"',;:()]*/g;
