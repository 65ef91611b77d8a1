// TCP sockets of libc, for threads that may block. A call waits at most as long as the timeout that `makeBlocking` sets,
// because a thread inside a foreign call can be neither ended nor interrupted: loops check a flag in between.

import { getSystemErrorName } from 'node:util';
import { errorMessage } from '../core/problem.ts';
import { type Koffi, loadKoffi } from './load-koffi.ts';
import {
  int32,
  lingerReset,
  parseTcpInfo,
  type SocketAbi,
  socketAbi,
  type TcpInfo,
  timeval,
  unknownTcpInfo,
} from './socket-abi.ts';

/** Nothing could be sent or received within the timeout. */
export const NOTHING_YET = -1;

export interface Sockets {
  /** A second number for the same connection: closing one leaves the other. @throws SocketError */
  duplicate(descriptor: number): number;
  /** Makes calls on it wait, each at most this long. @throws SocketError */
  makeBlocking(descriptor: number, timeoutMs: number): void;
  /** A buffer's address: calls with it are faster than with the buffer itself, which koffi must inspect each time. */
  withAddress(bytes: Buffer): PlacedBuffer;
  /** Sends this many bytes from an offset: how many the kernel took, or NOTHING_YET. @throws SocketError */
  send(descriptor: number, from: PlacedBuffer, offset: number, count: number): number;
  /** As `send`, without waiting for room. */
  sendNow(descriptor: number, from: PlacedBuffer, offset: number, count: number): number;
  /** How many bytes came, 0 at the end of the stream, or NOTHING_YET. @throws SocketError */
  receive(descriptor: number, into: PlacedBuffer, offset: number, count: number): number;
  /** As `receive`, but returns fewer bytes than requested only at the end or after the timeout. */
  receiveAll(descriptor: number, into: PlacedBuffer, offset: number, count: number): number;
  /** As `receive`, without waiting for bytes. */
  receiveNow(descriptor: number, into: PlacedBuffer, offset: number, count: number): number;
  tcpInfo(descriptor: number): TcpInfo;
  /** A TCP socket that is bound to one interface and not connected. @throws SocketError */
  openOn(interfaceName: string, family: 4 | 6): number;
  /** @throws SocketError */
  bindToInterface(descriptor: number, interfaceName: string, family: 4 | 6): void;
  /** What a UDP socket sends is never split on the way. @throws SocketError */
  neverFragment(descriptor: number, family: 4 | 6): void;
  /** Closes after what was sent has arrived. Never throws. */
  close(descriptor: number): void;
  /** Discards unsent data and resets the connection. Never throws. */
  reset(descriptor: number): void;
}

export interface PlacedBuffer {
  /** Referenced so that the memory at the address stays allocated. */
  readonly bytes: Buffer;
  readonly address: number;
}

export class SocketError extends Error {
  override readonly name = 'SocketError';
  /** "ECONNRESET" and the like. */
  readonly code: string;

  constructor(call: string, code: string) {
    super(`${call}: ${code}`);
    this.code = code;
  }
}

type SocketsLoad =
  | { readonly kind: 'loaded'; readonly sockets: Sockets }
  | { readonly kind: 'missing'; readonly reason: string };

/** Never rejects. */
export const loadSockets = async (platform: string): Promise<SocketsLoad> => {
  const abi = socketAbi(platform);
  if (abi === undefined) return missing(`blocking sockets are not written for ${platform}`);
  const load = await loadKoffi();
  if (load.kind === 'missing') return load;
  try {
    const { koffi } = load;
    // null: what the process has already loaded, which includes libc.
    return { kind: 'loaded', sockets: bind(koffi, koffi.load(null), { abi, platform }) };
  } catch (error) {
    return missing(`libc lacks a function: ${errorMessage(error)}`);
  }
};

const missing = (reason: string): SocketsLoad => ({ kind: 'missing', reason });

interface Platform {
  readonly abi: SocketAbi;
  readonly platform: string;
}

const bind = (koffi: Koffi, libc: ReturnType<Koffi['load']>, { abi, platform }: Platform): Sockets => {
  const dup: (fd: number) => number = libc.func('int dup(int fd)');
  const socket: (family: number, type: number, protocol: number) => number = libc.func(
    'int socket(int family, int type, int protocol)',
  );
  const close: (fd: number) => number = libc.func('int close(int fd)');
  // Variadic in C; on macOS/arm64 such arguments are passed on the stack.
  const fcntl: (fd: number, command: number, type: 'int', value: number) => number = libc.func(
    'int fcntl(int fd, int command, ...)',
  );
  // By address; the result is an ssize_t, for which an int is enough below 2³¹.
  const send: (fd: number, address: number, count: number, flags: number) => number = libc.func(
    'int send(int fd, uintptr_t address, size_t count, int flags)',
  );
  const recv: (fd: number, address: number, count: number, flags: number) => number = libc.func(
    'int recv(int fd, uintptr_t address, size_t count, int flags)',
  );
  const setsockopt: (fd: number, level: number, option: number, value: Buffer, bytes: number) => number =
    libc.func('int setsockopt(int fd, int level, int option, const void *value, uint32_t bytes)');
  const getsockopt: (fd: number, level: number, option: number, value: Buffer, bytes: Buffer) => number =
    libc.func('int getsockopt(int fd, int level, int option, void *value, void *bytes)');
  const interfaceIndex: (name: string) => number = libc.func('unsigned int if_nametoindex(const char *name)');

  const errorName = (): string => getSystemErrorName(-koffi.errno());
  const checked = (call: string, result: number): number => {
    if (result < 0) throw new SocketError(call, errorName());
    return result;
  };
  const setOption = (fd: number, level: number, option: number, value: Buffer): void => {
    checked('setsockopt', setsockopt(fd, level, option, value, value.length));
  };
  const counted = (call: string, result: number): number => {
    if (result >= 0) return result;
    const code = errorName();
    if (code === 'EAGAIN' || code === 'EINTR') return NOTHING_YET;
    throw new SocketError(call, code);
  };

  const bindTo = (fd: number, interfaceName: string, family: 4 | 6): void => {
    const bound = abi.bindToInterface;
    if (bound.kind === 'name') {
      setOption(fd, abi.levelSocket, bound.option, Buffer.from(`${interfaceName}\0`));
      return;
    }
    const index = interfaceIndex(interfaceName);
    if (index === 0) throw new SocketError('if_nametoindex', 'ENODEV');
    const { level, option } = family === 4 ? bound.ipv4 : bound.ipv6;
    setOption(fd, level, option, int32(index));
  };

  return {
    duplicate: fd => checked('dup', dup(fd)),
    makeBlocking: (fd, timeoutMs) => {
      const flags = checked('fcntl', fcntl(fd, GET_FLAGS, 'int', 0));
      checked('fcntl', fcntl(fd, SET_FLAGS, 'int', flags & ~abi.flagNonBlocking));
      const timeout = timeval(abi, timeoutMs);
      setOption(fd, abi.levelSocket, abi.optionReceiveTimeout, timeout);
      setOption(fd, abi.levelSocket, abi.optionSendTimeout, timeout);
      setOption(fd, abi.levelTcp, abi.optionTcpNoDelay, int32(1));
    },
    // Node ignores SIGPIPE, so no flag is needed against it.
    withAddress: bytes => ({ bytes, address: Number(koffi.address(bytes)) }),
    send: (fd, { address }, offset, count) => counted('send', send(fd, address + offset, count, 0)),
    sendNow: (fd, { address }, offset, count) =>
      counted('send', send(fd, address + offset, count, abi.messageDontWait)),
    receive: (fd, { address }, offset, count) => counted('recv', recv(fd, address + offset, count, 0)),
    receiveAll: (fd, { address }, offset, count) =>
      counted('recv', recv(fd, address + offset, count, abi.messageWaitAll)),
    receiveNow: (fd, { address }, offset, count) =>
      counted('recv', recv(fd, address + offset, count, abi.messageDontWait)),
    tcpInfo: fd => {
      const value = Buffer.alloc(TCP_INFO_BYTES_MAX);
      const length = int32(value.length);
      const result = getsockopt(fd, abi.levelTcp, abi.optionTcpInfo, value, length);
      if (result < 0) return unknownTcpInfo(`the kernel does not report it: ${errorName()}`);
      return parseTcpInfo(platform, value.subarray(0, length.readInt32LE(0)));
    },
    openOn: (interfaceName, family) => {
      const fd = checked(
        'socket',
        socket(family === 4 ? abi.familyIpv4 : abi.familyIpv6, STREAM, PROTOCOL_TCP),
      );
      try {
        bindTo(fd, interfaceName, family);
        return fd;
      } catch (error) {
        close(fd);
        throw error;
      }
    },
    bindToInterface: bindTo,
    neverFragment: (fd, family) => {
      const { level, option, value } = family === 4 ? abi.neverFragment.ipv4 : abi.neverFragment.ipv6;
      setOption(fd, level, option, int32(value));
    },
    close: fd => void close(fd),
    reset: fd => {
      const linger = lingerReset();
      setsockopt(fd, abi.levelSocket, abi.optionLinger, linger, linger.length);
      close(fd);
    },
  };
};

/** The same on Linux and macOS (fcntl.h, sys/socket.h, netinet/in.h). */
const GET_FLAGS = 3;
const SET_FLAGS = 4;
const STREAM = 1;
const PROTOCOL_TCP = 6;
/** Linux 6.18 answers with 256 bytes, macOS with 112. */
const TCP_INFO_BYTES_MAX = 512;
