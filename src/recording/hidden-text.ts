// Hides known names in text and keys, and anything that looks like an id, an address, a host, an account or a path.
// When in doubt it hides: losing a word is better than revealing an identity.

import { isIP } from 'node:net';
import { isNodeId } from '../core/ids.ts';
import { Pseudonyms } from './pseudonyms.ts';

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
