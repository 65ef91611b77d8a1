// A raw client: sends bytes, stores what comes back read by read, and reports how the connection ended.

import { connect, type Socket } from 'node:net';

interface RawConnection extends Disposable {
  send(bytes: string | Buffer): void;
  /** Resolves with everything received once it holds; also when the connection ends. */
  until(holds: (received: Buffer) => boolean): Promise<Buffer>;
  /** Resolves when the server has ended the connection. */
  ended(): Promise<'closed' | 'reset'>;
  received(): Buffer;
  /** Bytes of each read. */
  readonly reads: readonly number[];
  readonly socket: Socket;
}

export const rawConnection = ({
  host,
  port,
}: {
  readonly host: string;
  readonly port: number;
}): RawConnection => {
  const socket = connect({ host, port, noDelay: true });
  const reads: number[] = [];
  let space: Buffer = Buffer.alloc(65_536);
  let length = 0;
  let ending: 'closed' | 'reset' | undefined;
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const check of [...waiting]) check();
  };
  const all = (): Buffer => space.subarray(0, length);
  const keep = (bytes: Buffer): void => {
    if (length + bytes.length > space.length) {
      const larger = Buffer.alloc(2 * (length + bytes.length));
      space.copy(larger, 0, 0, length);
      space = larger;
    }
    bytes.copy(space, length);
    length += bytes.length;
  };
  const end = (how: 'closed' | 'reset'): void => {
    ending ??= how;
    wake();
  };
  socket.on('data', bytes => {
    reads.push(bytes.length);
    keep(bytes);
    wake();
  });
  socket.on('end', () => end('closed'));
  socket.on('error', () => end('reset'));
  socket.on('close', () => end('closed'));
  const waitFor = (isMet: () => boolean): Promise<void> =>
    new Promise(resolve => {
      const check = (): void => {
        if (!isMet() && ending === undefined) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  return {
    socket,
    reads,
    send: bytes => socket.write(bytes),
    received: all,
    until: async holds => {
      await waitFor(() => holds(all()));
      return all();
    },
    ended: async () => {
      await waitFor(() => false);
      return ending ?? 'closed';
    },
    [Symbol.dispose]: () => socket.destroy(),
  };
};

export interface RawReply {
  readonly status: number;
  readonly head: string;
  /** Without transfer coding. */
  readonly body: string;
  /** Sizes of HTTP chunks, the last one of 0 not among them; empty where there were none. */
  readonly chunkSizes: readonly number[];
  readonly trailers: string;
  /** What follows the reply. */
  readonly rest: Buffer;
}

/** The first reply in the bytes, informational ones left out; undefined while it is not whole. */
export const wholeReply = (bytes: Buffer, isEnded = false): RawReply | undefined => {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const head = bytes.toString('latin1', 0, headEnd);
  const status = Number(/^HTTP\/1\.[01] (\d{3}) /.exec(head)?.[1]);
  const after = bytes.subarray(headEnd + 4);
  if (status >= 100 && status < 200) return wholeReply(after, isEnded);
  if (status === 204) return { status, head, body: '', chunkSizes: [], trailers: '', rest: after };
  const reply = { status, head, chunkSizes: [], trailers: '' };
  if (/^transfer-encoding: chunked$/im.test(head)) return dechunked(after, reply);
  const length = /^content-length: (\d+)$/im.exec(head)?.[1];
  if (length === undefined)
    return isEnded ? { ...reply, body: after.toString(), rest: Buffer.alloc(0) } : undefined;
  if (after.length < Number(length)) return undefined;
  return {
    ...reply,
    body: after.toString('utf8', 0, Number(length)),
    rest: after.subarray(Number(length)),
  };
};

const dechunked = (
  bytes: Buffer,
  { status, head }: Pick<RawReply, 'status' | 'head'>,
): RawReply | undefined => {
  const data: Buffer[] = [];
  const chunkSizes: number[] = [];
  let at = 0;
  while (true) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const digits = /^([0-9a-f]+)(;.*)?$/i.exec(bytes.toString('latin1', at, lineEnd))?.[1];
    if (digits === undefined) return undefined;
    const size = Number.parseInt(digits, 16);
    at = lineEnd + 2;
    if (size === 0) break;
    if (bytes.length < at + size + 2) return undefined;
    data.push(bytes.subarray(at, at + size));
    chunkSizes.push(size);
    at += size + 2;
  }
  const end = bytes.indexOf('\r\n', at) === at ? at : bytes.indexOf('\r\n\r\n', at) + 2;
  if (end < at || bytes.length < end + 2) return undefined;
  return {
    status,
    head,
    body: Buffer.concat(data).toString(),
    chunkSizes,
    trailers: bytes.toString('latin1', at, end),
    rest: bytes.subarray(end + 2),
  };
};

/** A POST with a JSON body. */
export const post = (path: string, body: unknown, headers: readonly string[] = []): string => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const lines = [`content-length: ${Buffer.byteLength(text)}`, ...headers]
    .map(line => `${line}\r\n`)
    .join('');
  return `POST ${path} HTTP/1.1\r\nhost: mock\r\n${lines}\r\n${text}`;
};
