// Hides known names in text and keys, and anything that looks like an id, an address, a host, an account or a path.
// When in doubt it hides: losing a word is better than revealing an identity.

import { isIP, isIPv4, isIPv6 } from 'node:net';
import { isNodeId, type NodeId, nodeId } from '../core/ids.ts';

export class HiddenText {
  readonly pseudonyms: Pseudonyms = new Pseudonyms();
  readonly #names = new Map<string, string>();
  /** Other spellings of a name, in lower case. */
  readonly #variants = new Map<string, string>();
  #namesPattern: RegExp | undefined;

  /** From now on the name is replaced wherever it occurs as a word, in any spelling; returns its stand-in. */
  learn(kind: 'node' | 'host' | 'run', name: string): string {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const made = this.pseudonyms.of(kind, name, number =>
      kind === 'host' ? `host-${number}.example` : `${kind}-${number}`,
    );
    this.#names.set(name, made);
    for (const variant of variantsOf(kind, name))
      if (!this.#variants.has(variant)) this.#variants.set(variant, made);
    this.#namesPattern = undefined;
    return made;
  }

  hidden(text: string): string {
    return this.#withoutNames(text).replace(SECRET, (match, ...groups) => {
      const found: unknown = groups.at(-1);
      const kind = Object.entries(typeof found === 'object' && found !== null ? found : {}).find(
        ([, value]) => value !== undefined,
      )?.[0];
      return this.#secret(kind, match);
    });
  }

  /** Of parts with spaces between: ids, addresses, interfaces. */
  key(key: string): string {
    const parts = key.split(' ');
    const isRdma = parts.slice(0, 3).includes('rdma');
    return parts.map(part => (isRdma ? this.#rdmaPart(part) : this.#part(part))).join(' ');
  }

  /** With the scope of a link-local one: an interface of this machine. */
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
    this.#namesPattern ??= namesPattern([...this.#names.keys(), ...this.#variants.keys()]);
    return text.replace(
      this.#namesPattern,
      name => this.#names.get(name) ?? this.#variants.get(name.toLowerCase()) ?? name,
    );
  }

  #secret(kind: string | undefined, text: string): string {
    const { pseudonyms } = this;
    switch (kind) {
      case 'url':
        return this.#url(text);
      case 'uuid':
        return pseudonyms.uuid(text);
      case 'mac':
        return pseudonyms.mac(text);
      case 'word':
        return pseudonyms.word(text);
      case 'node':
        return isNodeId(text) ? pseudonyms.nodeId(text) : text;
      case 'address':
        return this.#addressIn(text);
      case 'account':
        return pseudonyms.of('account', text, number => `user-${number}`);
      case 'host':
        return this.#hostName(text);
      case 'windowsPath':
      case 'path':
        return this.#path(text);
      default:
        return text;
    }
  }

  /** Candidates may include text after an address, and things that only look like one. */
  #addressIn(text: string): string {
    const bare = text.replace(/[.:]+$/, '');
    for (const address of [text, bare])
      if (isIP(address.split('%')[0] ?? '') !== 0) return this.address(address) + text.slice(address.length);
    return text.replace(IPV4, address => (isIP(address) === 0 ? address : this.pseudonyms.address(address)));
  }

  #path(path: string): string {
    if (COMMON_PATH.test(path)) return path;
    return path.startsWith('/dev/')
      ? this.pseudonyms.blockDevice(path)
      : this.pseudonyms.of('path', path, number => `/path-${number}`);
  }

  /** Keeps scheme and port, and the versioned root of an API. */
  #url(text: string): string {
    if (!URL.canParse(text)) return 'http://host';
    const { protocol, hostname, port, pathname } = new URL(text);
    if (protocol === 'file:') return `file://${this.#path(pathname)}`;
    const bare = hostname.replace(/^\[|\]$/g, '');
    const host = isIP(bare) === 0 ? this.#hostName(bare) : this.pseudonyms.address(bare);
    const shown = host.includes(':') ? `[${host}]` : host;
    return `${protocol}//${shown}${port === '' ? '' : `:${port}`}${pathname.startsWith('/v1') ? '/v1' : ''}`;
  }

  #hostName(name: string): string {
    if (name === '' || name === 'localhost' || COMMON_NAME.test(name)) return name;
    if ([...this.#names.values()].includes(name)) return name;
    return this.pseudonyms.of('host', name.toLowerCase(), number => `host-${number}.example`);
  }
}

/** As systems and people write a name: in lower case, without apostrophes, with dashes, a host without its domain. */
const variantsOf = (kind: 'node' | 'host' | 'run', name: string): readonly string[] => {
  const small = name.toLowerCase();
  if (kind === 'run') return [small];
  const plain = small.replace(/['’]/g, '');
  const label = plain.split('.')[0] ?? '';
  const isReporting = label.length >= LABEL_LENGTH_MIN && label !== 'localhost';
  return [
    small,
    plain,
    ...['-', '_', ''].map(joint => plain.replace(/ +/g, joint)),
    ...(kind === 'host' && isReporting ? [label] : []),
  ];
};

/** Longest first, so a name inside another does not split it. */
const namesPattern = (names: readonly string[]): RegExp => {
  const escaped = [...new Set(names)]
    .filter(name => name !== '')
    .toSorted((a, b) => b.length - a.length)
    .map(name => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  // Without names: matches nothing.
  return new RegExp(
    escaped.length === 0 ? '(?!)' : `(?<![\\p{L}\\p{N}])(?:${escaped.join('|')})(?![\\p{L}\\p{N}])`,
    'giu',
  );
};

/** One pass, so no stand-in is hidden again. Each pattern finds candidates; its function decides. */
const SECRET = new RegExp(
  [
    String.raw`(?<url>\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>]+)`,
    String.raw`(?<uuid>\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b)`,
    String.raw`(?<mac>\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b|\b(?:[0-9a-f]{2}-){5}[0-9a-f]{2}\b)`,
    // With a letter and a digit: neither a number nor a word.
    String.raw`(?<word>\b(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{12}(?:[0-9a-f]{4}){0,5}\b)`,
    String.raw`(?<node>\b[a-z2-7]{26}\b)`,
    String.raw`(?<address>(?<![\w:.])[0-9a-f]{0,4}:[0-9a-f:]*:[0-9a-f:.]*(?:%[\w.-]+)?|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d))`,
    String.raw`(?<account>(?<![\w@.+-])[a-z_][\w.+-]{0,63}(?=@[\w[]))`,
    String.raw`(?<windowsPath>\b[a-z]:\\[^\s"',;()]+|\\\\[^\s"',;()]+)`,
    // Complete in quotes, as in Node's errors; else to the next space.
    String.raw`(?<path>(?<=')\/[^'\n]+(?=')|(?<=")\/[^"\n]+(?=")|(?<![\w/.\\~-])(?:~[\w.-]*)?\/[^\s"',;:()]+)`,
    String.raw`(?<host>(?<=\b(?:ENOTFOUND|EAI_AGAIN|hostname) )[a-z0-9][\w.-]*|(?<![\w./\\-])(?:[a-z0-9-]{1,63}\.)+[a-z][a-z-]{1,23}(?![\w-]|\.\w)|(?<![\w./\\-])[a-z][a-z0-9-]{0,62}(?=:\d{4,5}\b))`,
  ].join('|'),
  'gi',
);
const IPV4 = /(?<!\d)\d{1,3}(?:\.\d{1,3}){3}(?!\d)/g;
/** The same on every machine: of the system, its tools, and our own API. */
const COMMON_PATH =
  /^\/(?:(?:proc|sys)(?:\/.*)?|usr\/(?:local\/)?s?(?:bin|lib|lib64|libexec)\/.*|System\/Library\/.*|System\/Volumes\/Data|etc(?:\/[a-z_.-]+)?|boot(?:\/efi)?|(?:dev|usr|var|tmp|opt|home|root|run|mnt|srv|Users|Volumes|System|Applications)\/?|v1(?:\/[a-z/]+)?|metrics|healthz|health|props|openapi\.json)$/;
/** Files, and settings of config.toml, which look like hosts. */
const COMMON_NAME =
  /(?:^(?:http|mesh|network|probes|journal|gather|endpoints)\.[a-z_.]+$|\.(?:toml|jsonl?|txt|log|so|dylib|dll|exe|py|js|ts|mjs|sh|service|conf|plist|sqlite|db|pem|key|gguf|safetensors|bin|html|css|md|sock)$)/i;
const LABEL_LENGTH_MIN = 3;

// Stand-ins for what a recording should not reveal, each in a form that is still valid for its kind.

/**
 * Stand-ins for what a recording should not reveal. Equal values get equal stand-ins, different values different ones,
 * each in a valid form: an address stays an address, and a link-local one link-local.
 */
class Pseudonyms {
  readonly #byKind = new Map<string, Map<string, string>>();

  /** The stand-in of `real` within one class; a new one is made from its number, from 1. */
  of(kind: string, real: string, make: (number: number) => string): string {
    const names = this.#byKind.get(kind) ?? new Map<string, string>();
    this.#byKind.set(kind, names);
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
