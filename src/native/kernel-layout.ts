// Numbers and layouts of Linux for reading sockets in an own loop: events of epoll, addresses, control messages with
// timestamps. Linux UAPI: sys/epoll.h (packed on x86-64 only), linux/net_tstamp.h, linux/errqueue.h, asm-generic/socket.h;
// 64-bit, little endian, as everything that Node 24 has a build for.

/** Reported also if it was not requested: an error, or a departure in the error queue. */
export const POLLED = { in: 0x1, out: 0x4, error: 0x8, hangUp: 0x10 } as const;

/** struct epoll_event: `events`, then 64 bits of which the lower 32 are ours. */
export class PolledEvents {
  readonly bytes: Buffer;
  readonly #size: number;
  readonly #dataAt: number;

  /** @param arch as of `process.arch` */
  constructor(arch: string, count: number) {
    this.#size = arch === 'x64' ? 12 : 16;
    this.#dataAt = arch === 'x64' ? 4 : 8;
    this.bytes = Buffer.alloc(this.#size * count);
  }

  set(index: number, events: number, id: number): void {
    this.bytes.writeUInt32LE(events, index * this.#size);
    this.bytes.writeUInt32LE(id, index * this.#size + this.#dataAt);
  }

  eventsAt(index: number): number {
    return this.bytes.readUInt32LE(index * this.#size);
  }

  idAt(index: number): number {
    return this.bytes.readUInt32LE(index * this.#size + this.#dataAt);
  }
}

/** struct msghdr with one struct iovec and room for control messages; addresses are set once. */
export class MessageHeader {
  readonly bytes: Buffer = Buffer.alloc(HEADER_BYTES + IOVEC_BYTES);
  readonly control: Buffer = Buffer.alloc(CONTROL_BYTES);

  place(own: number, control: number): void {
    this.bytes.writeBigUInt64LE(BigInt(own + HEADER_BYTES), 16);
    this.bytes.writeBigUInt64LE(1n, 24);
    this.bytes.writeBigUInt64LE(BigInt(control), 32);
  }

  /** Before each call: the kernel overwrites the length of the control messages. */
  prepare(address: number, count: number): void {
    const { bytes } = this;
    bytes.writeUInt32LE(CONTROL_BYTES, 40);
    bytes.writeUInt32LE(address >>> 0, HEADER_BYTES);
    bytes.writeUInt32LE(Math.floor(address / 2 ** 32), HEADER_BYTES + 4);
    bytes.writeUInt32LE(count, HEADER_BYTES + 8);
  }

  get controlLength(): number {
    return this.bytes.readUInt32LE(40);
  }
}

/** Of a read, or of a departure. */
export interface ControlStamp {
  /** Wall clock, ns since `zeroSeconds`; NO_STAMP: the kernel took none. */
  stampNs: number;
  /** For a departure: the index of the last byte that left with it, from when stamps were enabled; modulo 2³². */
  byteIndex: number;
}

export const NO_STAMP = -1;

/**
 * Reads the software timestamp from control messages. What is damaged counts as no stamp.
 * @param zeroSeconds of the wall clock, so that nanoseconds are exact in a number
 */
export const readControl = (
  control: Buffer,
  length: number,
  zeroSeconds: number,
  into: ControlStamp,
): void => {
  into.stampNs = NO_STAMP;
  into.byteIndex = NO_STAMP;
  const end = Math.min(length, control.length);
  for (let at = 0; at + MESSAGE_BYTES <= end; ) {
    const size = control.readUInt32LE(at);
    if (size < MESSAGE_BYTES || at + size > end) return;
    const level = control.readInt32LE(at + 8);
    const type = control.readInt32LE(at + 12);
    const data = at + MESSAGE_BYTES;
    if (level === LEVEL_SOCKET && type === SCM_TIMESTAMPING && size >= MESSAGE_BYTES + 16) {
      const seconds = control.readUInt32LE(data) + control.readInt32LE(data + 4) * 2 ** 32;
      const nanoseconds = control.readUInt32LE(data + 8);
      if (seconds > 0 && nanoseconds < 1e9) into.stampNs = (seconds - zeroSeconds) * 1e9 + nanoseconds;
    } else if (isExtendedError(level, type) && size >= MESSAGE_BYTES + 16) {
      const isDeparture =
        control.readUInt8(data + 4) === ORIGIN_TIMESTAMPING && control.readUInt32LE(data + 8) === STAMP_SENT;
      if (isDeparture) into.byteIndex = control.readUInt32LE(data + 12);
    }
    at += Math.ceil(size / 8) * 8;
  }
};

const isExtendedError = (level: number, type: number): boolean =>
  (level === LEVEL_IP && type === IP_RECVERR) || (level === LEVEL_IPV6 && type === IPV6_RECVERR);

/** struct sockaddr_in or sockaddr_in6, except for the address itself, which inet_pton writes at `addressAt`. */
export const socketAddress = (
  family: 4 | 6,
  port: number,
  scope: number,
): { readonly bytes: Buffer; readonly addressAt: number } => {
  const bytes = Buffer.alloc(family === 4 ? 16 : 28);
  bytes.writeUInt16LE(family === 4 ? FAMILY_IPV4 : FAMILY_IPV6, 0);
  bytes.writeUInt16BE(port, 2);
  if (family === 6) bytes.writeUInt32LE(scope, 24);
  return { bytes, addressAt: family === 4 ? 4 : 8 };
};

export const FAMILY_IPV4 = 2;
export const FAMILY_IPV6 = 10;
export const LEVEL_SOCKET = 1;
/** SO_TIMESTAMPING and SCM_TIMESTAMPING. */
export const SCM_TIMESTAMPING = 37;
const LEVEL_IP = 0;
const LEVEL_IPV6 = 41;
const IP_RECVERR = 11;
const IPV6_RECVERR = 25;
/** SO_EE_ORIGIN_TIMESTAMPING and SCM_TSTAMP_SND. */
const ORIGIN_TIMESTAMPING = 4;
const STAMP_SENT = 0;
const HEADER_BYTES = 56;
const IOVEC_BYTES = 16;
/** struct cmsghdr. */
const MESSAGE_BYTES = 16;
/** Two messages: three timespecs, and an extended error with an address. */
const CONTROL_BYTES = 256;
