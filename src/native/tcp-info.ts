// What the kernel tells of a TCP connection. Linux: struct tcp_info (include/uapi/linux/tcp.h), which grows at its end, so
// that a field is there when the answer is long enough. macOS: struct tcp_connection_info (netinet/tcp.h), times in ms.

import type { Reported } from '../core/unknown.ts';
import { unknown } from '../core/unknown.ts';

export interface TcpInfo {
  /** Segments sent again since the connection began. */
  readonly retransmits: Reported<number>;
  /** The shortest round trip that the kernel saw, nanoseconds. */
  readonly roundTripNsMin: Reported<number>;
  /** Payload bytes that the other end has acknowledged. */
  readonly bytesAcknowledged: Reported<number>;
}

export const parseTcpInfo = (platform: string, bytes: Buffer): TcpInfo => {
  if (platform === 'linux') return parseLinux(bytes);
  return platform === 'darwin' ? parseMacos(bytes) : unknownTcpInfo('not told by this platform');
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
  roundTripNsMin: unknown('not told by this platform'),
  bytesAcknowledged: unknown('not told by this platform'),
});

/** Microseconds; all bits set while nothing was measured. */
const measured = (microseconds: number): Reported<number> =>
  microseconds === 0xffffffff || microseconds === 0
    ? unknown('the kernel has not measured any')
    : microseconds * 1_000;

const older = (): Reported<number> => unknown('the kernel is too old to tell');
