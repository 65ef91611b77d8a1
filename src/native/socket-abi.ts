// The numbers and layouts that C headers give to sockets, by platform. Linux: include/uapi/asm-generic/socket.h,
// include/uapi/linux/tcp.h, the same on x86-64 and arm64; struct tcp_info grows at its end, so a field exists if the
// result is long enough. macOS: sys/socket.h, netinet/in.h, netinet/tcp.h of the SDK, struct tcp_connection_info with
// times in ms; not run by us (docs/verified-on.md).

import { type Reported, unknown } from '../core/unknown.ts';

export interface SocketAbi {
  readonly levelSocket: number;
  readonly optionLinger: number;
  readonly optionReceiveTimeout: number;
  readonly optionSendTimeout: number;
  readonly levelTcp: number;
  readonly optionTcpNoDelay: number;
  readonly optionTcpInfo: number;
  /** O_NONBLOCK of fcntl(2). */
  readonly flagNonBlocking: number;
  /** Wait until the buffer is full. */
  readonly messageWaitAll: number;
  /** Return at once with what there is room or data for. */
  readonly messageDontWait: number;
  /** Microseconds of struct timeval are 64 bits wide on Linux and 32 on macOS; both take 16 bytes. */
  readonly timevalMicrosecondBits: 32 | 64;
  /** By name (SO_BINDTODEVICE), or by index with an option for each family (IP_BOUND_IF, IPV6_BOUND_IF). */
  readonly bindToInterface:
    | { readonly kind: 'name'; readonly option: number }
    | {
        readonly kind: 'index';
        readonly ipv4: { readonly level: number; readonly option: number };
        readonly ipv6: { readonly level: number; readonly option: number };
      };
  /** For UDP: a packet that does not fit is refused here or lost on the way, never split, even if the kernel has stored a smaller MTU for the path. */
  readonly neverFragment: {
    readonly ipv4: { readonly level: number; readonly option: number; readonly value: number };
    readonly ipv6: { readonly level: number; readonly option: number; readonly value: number };
  };
  /** Address families of socket(2). */
  readonly familyIpv4: number;
  readonly familyIpv6: number;
}

/** undefined if sockets are not numbered files (Windows), or the table has not been written yet. */
export const socketAbi = (platform: string): SocketAbi | undefined => {
  if (platform === 'linux') return LINUX;
  return platform === 'darwin' ? MACOS : undefined;
};

/** struct timeval of a duration; little endian, as on every machine that Node runs on. */
export const timeval = (abi: SocketAbi, durationMs: number): Buffer => {
  const bytes = Buffer.alloc(16);
  const microseconds = Math.round((durationMs % 1_000) * 1_000);
  bytes.writeBigInt64LE(BigInt(Math.floor(durationMs / 1_000)), 0);
  if (abi.timevalMicrosecondBits === 64) bytes.writeBigInt64LE(BigInt(microseconds), 8);
  else bytes.writeInt32LE(microseconds, 8);
  return bytes;
};

/** struct linger that makes close(2) discard unsent data and reset the connection. */
export const lingerReset = (): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeInt32LE(1, 0);
  return bytes;
};

export const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value, 0);
  return bytes;
};

/** What the kernel reports about a TCP connection. */
export interface TcpInfo {
  /** Segments retransmitted since the connection started. */
  readonly retransmits: Reported<number>;
  /** The kernel's shortest round trip, nanoseconds. */
  readonly roundTripNsMin: Reported<number>;
  /** Payload bytes that the other end has acknowledged. */
  readonly bytesAcknowledged: Reported<number>;
}

export const parseTcpInfo = (platform: string, bytes: Buffer): TcpInfo => {
  if (platform === 'linux') return parseLinux(bytes);
  return platform === 'darwin' ? parseMacos(bytes) : unknownTcpInfo('not reported by this platform');
};

export const unknownTcpInfo = (reason: string): TcpInfo => ({
  retransmits: unknown(reason),
  roundTripNsMin: unknown(reason),
  bytesAcknowledged: unknown(reason),
});

const parseLinux = (bytes: Buffer): TcpInfo => ({
  retransmits: bytes.length >= 104 ? bytes.readUInt32LE(100) : older(),
  roundTripNsMin: bytes.length >= 152 ? measured(bytes.readUInt32LE(148)) : older(),
  bytesAcknowledged: bytes.length >= 128 ? Number(bytes.readBigUInt64LE(120)) : older(),
});

const parseMacos = (bytes: Buffer): TcpInfo => ({
  retransmits: bytes.length >= 112 ? Number(bytes.readBigUInt64LE(104)) : older(),
  roundTripNsMin: unknown('not reported by this platform'),
  bytesAcknowledged: unknown('not reported by this platform'),
});

/** Microseconds; all bits set while nothing was measured. */
const measured = (microseconds: number): Reported<number> =>
  microseconds === 0xffffffff || microseconds === 0
    ? unknown('the kernel has not measured any')
    : microseconds * 1_000;

const older = (): Reported<number> => unknown('the kernel is too old to report it');

const LINUX: SocketAbi = {
  levelSocket: 1,
  optionLinger: 13,
  optionReceiveTimeout: 20,
  optionSendTimeout: 21,
  levelTcp: 6,
  optionTcpNoDelay: 1,
  optionTcpInfo: 11,
  flagNonBlocking: 0x800,
  messageWaitAll: 0x100,
  messageDontWait: 0x40,
  timevalMicrosecondBits: 64,
  bindToInterface: { kind: 'name', option: 25 },
  // IP_MTU_DISCOVER and IPV6_MTU_DISCOVER: IP_PMTUDISC_PROBE.
  neverFragment: {
    ipv4: { level: 0, option: 10, value: 3 },
    ipv6: { level: 41, option: 23, value: 3 },
  },
  familyIpv4: 2,
  familyIpv6: 10,
};
const MACOS: SocketAbi = {
  levelSocket: 0xffff,
  optionLinger: 0x80,
  optionReceiveTimeout: 0x1006,
  optionSendTimeout: 0x1005,
  levelTcp: 6,
  optionTcpNoDelay: 1,
  optionTcpInfo: 0x106,
  flagNonBlocking: 4,
  messageWaitAll: 0x40,
  messageDontWait: 0x80,
  timevalMicrosecondBits: 32,
  bindToInterface: {
    kind: 'index',
    ipv4: { level: 0, option: 25 },
    ipv6: { level: 41, option: 125 },
  },
  // IP_DONTFRAG and IPV6_DONTFRAG.
  neverFragment: {
    ipv4: { level: 0, option: 28, value: 1 },
    ipv6: { level: 41, option: 62, value: 1 },
  },
  familyIpv4: 2,
  familyIpv6: 30,
};
