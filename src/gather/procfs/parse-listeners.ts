// /proc/net/tcp and tcp6: the sockets of this network namespace that listen, without asking any of them anything
// (Documentation/networking/proc_net_tcp.rst). Addresses are words of 32 bits in the machine's byte order, in hex.

export interface Listener {
  /** "0.0.0.0", "127.0.0.1", "::1" */
  readonly address: string;
  readonly port: number;
  /** Of the socket: another program at the same port has another one. */
  readonly inode: string;
}

/** Undefined if this is not one of these files. A line that cannot be read is left out. */
export const parseListeners = (text: string): readonly Listener[] | undefined => {
  const [head = '', ...lines] = text.split('\n');
  if (!/^\s*sl\s+local_address\s/.test(head)) return undefined;
  return lines.flatMap(line => {
    const [, address = '', port = '', inode = ''] = LISTENING.exec(line) ?? [];
    return inode === '' ? [] : [{ address: addressOf(address), port: Number.parseInt(port, 16), inode }];
  });
};

/** Ports of this machine with a connection that is established, of either end. */
export const parseConnectedPorts = (text: string): ReadonlySet<number> =>
  new Set(Array.from(text.matchAll(ESTABLISHED), ([, port = '']) => Number.parseInt(port, 16)));

const addressOf = (hex: string): string => {
  const bytes = Array.from({ length: hex.length / 8 }, (_, word) =>
    (hex.slice(word * 8, word * 8 + 8).match(/../g) ?? []).toReversed(),
  ).flat();
  if (bytes.length === 4) return bytes.map(byte => Number.parseInt(byte, 16)).join('.');
  const groups = Array.from({ length: 8 }, (_, at) => `${bytes[at * 2]}${bytes[at * 2 + 1]}`);
  // The URL parser writes the shortest form.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
};

/** "0: 0100007F:1F90 00000000:0000 0A tx:rx tr:when retrnsmt uid timeout inode"; 0A is TCP_LISTEN. */
const LISTENING =
  /^\s*\d+: ((?:[0-9A-F]{8}){1,4}):([0-9A-F]{4}) [0-9A-F]+:0000 0A \S+ \S+ \S+ +\d+ +\d+ (\d+)/;
/** The same with 01, TCP_ESTABLISHED. */
const ESTABLISHED = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} 01 /gm;
