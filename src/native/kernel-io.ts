// Linux sockets for an own read loop: epoll, connections that do not block, and recvmsg with the kernel's timestamps.
// Calls take addresses of buffers that live as long as this object: V8 would free a buffer of which only the
// address is used.

import { getSystemErrorName } from 'node:util';
import { errorMessage } from '../core/problem.ts';
import {
  type ControlStamp,
  FAMILY_IPV4,
  FAMILY_IPV6,
  LEVEL_SOCKET,
  MessageHeader,
  NO_STAMP,
  PolledEvents,
  readControl,
  SCM_TIMESTAMPING,
  socketAddress,
} from './kernel-layout.ts';
import { type Koffi, loadKoffi } from './load-koffi.ts';
import { NOTHING_YET, SocketError } from './sockets.ts';

type KernelIoLoad =
  | { readonly kind: 'loaded'; readonly io: KernelIo }
  | { readonly kind: 'missing'; readonly reason: string };

interface KernelPlatform {
  readonly platform: string;
  readonly arch: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Never rejects. */
export const loadKernelIo = async ({ platform, arch, env }: KernelPlatform): Promise<KernelIoLoad> => {
  if (platform !== 'linux')
    return { kind: 'missing', reason: `the kernel's timestamps of TCP are not available on ${platform}` };
  const load = await loadKoffi(env);
  if (load.kind === 'missing') return load;
  try {
    return { kind: 'loaded', io: new KernelIo(load.koffi, arch) };
  } catch (error) {
    return { kind: 'missing', reason: `libc lacks a function: ${errorMessage(error)}` };
  }
};

const callsOf = (libc: ReturnType<Koffi['load']>) => ({
  epollCreate: libc.func('int epoll_create1(int flags)'),
  epollControl: libc.func('int epoll_ctl(int ep, int operation, int fd, uintptr_t event)'),
  epollWait: libc.func('int epoll_wait(int ep, uintptr_t events, int count, int ms)'),
  socket: libc.func('int socket(int family, int type, int protocol)'),
  connect: libc.func('int connect(int fd, uintptr_t address, uint32_t bytes)'),
  bind: libc.func('int bind(int fd, uintptr_t address, uint32_t bytes)'),
  listen: libc.func('int listen(int fd, int backlog)'),
  accept: libc.func('int accept4(int fd, uintptr_t address, uintptr_t bytes, int flags)'),
  socketName: libc.func('int getsockname(int fd, uintptr_t address, uintptr_t bytes)'),
  close: libc.func('int close(int fd)'),
  pipe: libc.func('int pipe2(uintptr_t ends, int flags)'),
  setOption: libc.func('int setsockopt(int fd, int level, int option, uintptr_t value, uint32_t bytes)'),
  getOption: libc.func('int getsockopt(int fd, int level, int option, uintptr_t value, uintptr_t bytes)'),
  send: libc.func('int send(int fd, uintptr_t address, size_t count, int flags)'),
  receive: libc.func('int recvmsg(int fd, uintptr_t header, int flags)'),
  clock: libc.func('int clock_gettime(int clock, uintptr_t time)'),
  parseAddress: libc.func('int inet_pton(int family, const char *text, uintptr_t address)'),
  interfaceIndex: libc.func('unsigned int if_nametoindex(const char *name)'),
});

/** With nanoseconds; undefined before glibc 2.35. */
const preciseWait = (libc: ReturnType<Koffi['load']>) => {
  try {
    return libc.func(
      'int epoll_pwait2(int ep, uintptr_t events, int count, uintptr_t timeout, uintptr_t signals)',
    );
  } catch {
    return undefined;
  }
};

export class KernelIo {
  /** What was received last. All sockets share it. */
  readonly bytes: Buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  readonly events: PolledEvents;
  /** Of the last `receive`, or of the last departure. */
  readonly stamp: ControlStamp = { stampNs: NO_STAMP, byteIndex: NO_STAMP };
  readonly #koffi: Koffi;
  readonly #calls: ReturnType<typeof callsOf>;
  #preciseWait: ReturnType<typeof preciseWait>;
  readonly #poll: number;
  readonly #one: PolledEvents;
  readonly #header: MessageHeader = new MessageHeader();
  readonly #sent: Buffer = Buffer.allocUnsafeSlow(SENT_BYTES);
  readonly #small: Buffer = Buffer.alloc(64);
  /** Seconds of the wall clock at the start: stamps count from there. */
  readonly #zeroSeconds: number;
  readonly #at: Readonly<Record<'bytes' | 'events' | 'one' | 'header' | 'sent' | 'small', number>>;
  #isClosed = false;

  /** @throws Error if libc lacks a function, SocketError if there can be no epoll */
  constructor(koffi: Koffi, arch: string) {
    this.#koffi = koffi;
    const libc = koffi.load(null);
    this.#calls = callsOf(libc);
    this.#preciseWait = preciseWait(libc);
    this.events = new PolledEvents(arch, EVENTS_MAX);
    this.#one = new PolledEvents(arch, 1);
    const addressOf = (bytes: Buffer): number => Number(koffi.address(bytes));
    this.#at = {
      bytes: addressOf(this.bytes),
      events: addressOf(this.events.bytes),
      one: addressOf(this.#one.bytes),
      header: addressOf(this.#header.bytes),
      sent: addressOf(this.#sent),
      small: addressOf(this.#small),
    };
    this.#header.place(this.#at.header, addressOf(this.#header.control));
    this.#poll = this.#checked('epoll_create1', this.#calls.epollCreate(CLOSE_ON_EXEC));
    this.#calls.clock(CLOCK_REALTIME, this.#at.small);
    this.#zeroSeconds = Number(this.#small.readBigInt64LE(0));
  }

  /** @param operation of WATCH. @throws SocketError */
  watch(fd: number, operation: (typeof WATCH)[keyof typeof WATCH], events: number, id: number): void {
    this.#one.set(0, events, id);
    this.#checked('epoll_ctl', this.#calls.epollControl(this.#poll, operation, fd, this.#at.one));
  }

  /** Waits for events, not longer than `timeoutNs`. @returns how many of `events` are set; 0 also after a signal */
  wait(timeoutNs: number): number {
    const { small, events } = this.#at;
    if (this.#preciseWait === undefined || timeoutNs <= 0)
      return Math.max(
        0,
        this.#calls.epollWait(this.#poll, events, EVENTS_MAX, Math.max(0, Math.ceil(timeoutNs / 1e6))),
      );
    this.#small.writeUInt32LE(Math.floor(timeoutNs / 1e9), 0);
    this.#small.writeUInt32LE(0, 4);
    this.#small.writeUInt32LE(timeoutNs % 1e9, 8);
    this.#small.writeUInt32LE(0, 12);
    const count: number = this.#preciseWait(this.#poll, events, EVENTS_MAX, small, 0);
    // Linux before 5.11.
    if (count < 0 && this.#errorName() === 'ENOSYS') this.#preciseWait = undefined;
    return Math.max(0, count);
  }

  /** Starts a connection. @param address "192.0.2.7", "2001:db8::7" or "fe80::7%eth0". @throws SocketError */
  connect(address: string, port: number): number {
    const family = address.includes(':') ? 6 : 4;
    const familyNumber = family === 4 ? FAMILY_IPV4 : FAMILY_IPV6;
    const [host = address, zone] = address.split('%');
    const { bytes, addressAt } = socketAddress(family, port, zone === undefined ? 0 : this.#scope(zone));
    if (this.#calls.parseAddress(familyNumber, host, this.#at.small) !== 1)
      throw new SocketError('inet_pton', 'EINVAL');
    this.#small.copy(bytes, addressAt, 0, family === 4 ? 4 : 16);
    const fd = this.#socket(familyNumber);
    this.#setOption(fd, PROTOCOL_TCP, TCP_NO_DELAY, 1);
    bytes.copy(this.#small);
    if (this.#calls.connect(fd, this.#at.small, bytes.length) < 0) {
      // Node has no name for it.
      if (this.#koffi.errno() !== IN_PROGRESS) {
        const code = this.#errorName();
        this.close(fd);
        throw new SocketError('connect', code);
      }
    }
    return fd;
  }

  /** For one connection, on loopback. @throws SocketError */
  listen(): { readonly fd: number; readonly port: number } {
    const { bytes, addressAt } = socketAddress(4, 0, 0);
    bytes.writeUInt32BE(LOOPBACK, addressAt);
    const fd = this.#socket(FAMILY_IPV4);
    const { small } = this.#at;
    bytes.copy(this.#small);
    this.#small.writeUInt32LE(bytes.length, bytes.length);
    try {
      this.#checked('bind', this.#calls.bind(fd, small, bytes.length));
      this.#checked('listen', this.#calls.listen(fd, 1));
      this.#checked('getsockname', this.#calls.socketName(fd, small, small + bytes.length));
    } catch (error) {
      this.close(fd);
      throw error;
    }
    return { fd, port: this.#small.readUInt16BE(2) };
  }

  /** @returns the descriptor, or NOTHING_YET. @throws SocketError */
  accept(listener: number): number {
    return this.#counted('accept', this.#calls.accept(listener, 0, 0, NON_BLOCKING | CLOSE_ON_EXEC));
  }

  /** Why a connection failed: "ECONNREFUSED" and the like; '' if there is no error. Clears it. */
  errorOf(fd: number): string {
    this.#small.writeInt32LE(0, 0);
    this.#small.writeUInt32LE(4, 8);
    const { small } = this.#at;
    if (this.#calls.getOption(fd, LEVEL_SOCKET, SOCKET_ERROR, small, small + 8) < 0) return this.#errorName();
    const error = this.#small.readInt32LE(0);
    return error === 0 ? '' : getSystemErrorName(-error);
  }

  /** From now on the kernel stamps what arrives and what leaves. @returns why not, if it refuses */
  enableStamps(fd: number): string | undefined {
    return this.#setOption(fd, LEVEL_SOCKET, SCM_TIMESTAMPING, STAMP_FLAGS) < 0
      ? `SO_TIMESTAMPING: ${this.#errorName()}`
      : undefined;
  }

  /** Into `bytes`, with `stamp`: how many, 0 at the end of the stream, or NOTHING_YET. @throws SocketError */
  receive(fd: number): number {
    return this.#receive(fd, READ_BYTES, DONT_WAIT);
  }

  /** As `receive`, but leaves the bytes to be received again. */
  peek(fd: number): number {
    return this.#receive(fd, READ_BYTES, DONT_WAIT | PEEK);
  }

  /** As `receive`, for bytes that a peek has copied: only `stamp` is set. */
  skip(fd: number, count: number): number {
    return this.#receive(fd, count, DONT_WAIT | TRUNCATE);
  }

  /** Reads one departure from the error queue into `stamp`. @returns false if it is empty */
  departure(fd: number): boolean {
    this.#header.prepare(this.#at.bytes, 0);
    if (this.#calls.receive(fd, this.#at.header, ERROR_QUEUE | DONT_WAIT) < 0) return false;
    readControl(this.#header.control, this.#header.controlLength, this.#zeroSeconds, this.stamp);
    return true;
  }

  /** @returns how many bytes the kernel took, at most SENT_BYTES, or NOTHING_YET. @throws SocketError */
  send(fd: number, from: Uint8Array, offset: number): number {
    const count = Math.min(SENT_BYTES, from.length - offset);
    this.#sent.set(from.subarray(offset, offset + count));
    // Node ignores SIGPIPE, so no flag is needed against it.
    return this.#counted('send', this.#calls.send(fd, this.#at.sent, count, DONT_WAIT));
  }

  /** How many segments with data have arrived on a connection, modulo 2³²; undefined before Linux 4.6. */
  segments(fd: number): number | undefined {
    this.#small.writeUInt32LE(TCP_INFO_BYTES, 0);
    const { sent, small } = this.#at;
    if (this.#calls.getOption(fd, PROTOCOL_TCP, TCP_INFO, sent, small) < 0) return undefined;
    return this.#small.readUInt32LE(0) < TCP_INFO_BYTES ? undefined : this.#sent.readUInt32LE(SEGMENTS_AT);
  }

  /** The wall clock, ns on the scale of the stamps. */
  wallNs(): number {
    this.#calls.clock(CLOCK_REALTIME, this.#at.small);
    const seconds = this.#small.readUInt32LE(0) + this.#small.readInt32LE(4) * 2 ** 32;
    return (seconds - this.#zeroSeconds) * 1e9 + this.#small.readUInt32LE(8);
  }

  /** @throws SocketError */
  pipe(): { readonly readEnd: number; readonly writeEnd: number } {
    this.#checked('pipe2', this.#calls.pipe(this.#at.small, CLOSE_ON_EXEC | NON_BLOCKING));
    return { readEnd: this.#small.readInt32LE(0), writeEnd: this.#small.readInt32LE(4) };
  }

  /** Never throws. */
  close(fd: number): void {
    this.#calls.close(fd);
  }

  stop(): void {
    if (!this.#isClosed) this.close(this.#poll);
    this.#isClosed = true;
  }

  #receive(fd: number, count: number, flags: number): number {
    this.#header.prepare(this.#at.bytes, count);
    const received = this.#counted('recv', this.#calls.receive(fd, this.#at.header, flags));
    if (received > 0)
      readControl(this.#header.control, this.#header.controlLength, this.#zeroSeconds, this.stamp);
    return received;
  }

  #socket(family: number): number {
    const type = STREAM | NON_BLOCKING | CLOSE_ON_EXEC;
    return this.#checked('socket', this.#calls.socket(family, type, PROTOCOL_TCP));
  }

  #setOption(fd: number, level: number, option: number, value: number): number {
    this.#small.writeInt32LE(value, 0);
    return this.#calls.setOption(fd, level, option, this.#at.small, 4);
  }

  #scope(zone: string): number {
    return /^\d+$/.test(zone) ? Number(zone) : this.#calls.interfaceIndex(zone);
  }

  #counted(call: string, result: number): number {
    if (result >= 0) return result;
    const code = this.#errorName();
    if (code === 'EAGAIN' || code === 'EINTR') return NOTHING_YET;
    throw new SocketError(call, code);
  }

  #checked(call: string, result: number): number {
    if (result < 0) throw new SocketError(call, this.#errorName());
    return result;
  }

  #errorName(): string {
    return getSystemErrorName(-this.#koffi.errno());
  }
}

export const WATCH = { add: 1, remove: 2, modify: 3 } as const;
/** Large enough for a flood, small enough for the second-level cache. */
const READ_BYTES = 65_536;
/** A longer request is sent in parts. */
const SENT_BYTES = 262_144;
/** Events of one wait; what does not fit comes with the next one. */
const EVENTS_MAX = 512;
/** TX_SOFTWARE, RX_SOFTWARE, SOFTWARE, OPT_ID and OPT_TSONLY of linux/net_tstamp.h. */
const STAMP_FLAGS: number = (1 << 1) | (1 << 3) | (1 << 4) | (1 << 7) | (1 << 11);
const STREAM = 1;
const NON_BLOCKING = 0x800;
const CLOSE_ON_EXEC = 0x80000;
const PROTOCOL_TCP = 6;
const TCP_NO_DELAY = 1;
const SOCKET_ERROR = 4;
/** struct tcp_info up to tcpi_data_segs_in. */
const TCP_INFO = 11;
const SEGMENTS_AT = 152;
const TCP_INFO_BYTES = 156;
/** EINPROGRESS. */
const IN_PROGRESS = 115;
const PEEK = 0x2;
const TRUNCATE = 0x20;
const DONT_WAIT = 0x40;
const ERROR_QUEUE = 0x2000;
const CLOCK_REALTIME = 0;
/** 127.0.0.1. */
const LOOPBACK = 0x7f_00_00_01;
