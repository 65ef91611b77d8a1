import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  MessageHeader,
  NO_STAMP,
  PolledEvents,
  readControl,
  socketAddress,
} from '../../src/native/kernel-layout.ts';

const ZERO_SECONDS = 1_795_000_000;

test('the software timestamp of a read is the first of three', () => {
  const control = stampMessage(ZERO_SECONDS + 2, 345_678);
  expect(decoded(control)).toEqual({ stampNs: 2_000_345_678, byteIndex: NO_STAMP });
});

test('a departure has its timestamp and the index of the last byte', () => {
  const control = Buffer.concat([stampMessage(ZERO_SECONDS, 17), departureMessage(1_121)]);
  expect(decoded(control)).toEqual({ stampNs: 17, byteIndex: 1_121 });
});

test('a reading without control messages has no timestamp', () => {
  expect(decoded(Buffer.alloc(0))).toEqual({ stampNs: NO_STAMP, byteIndex: NO_STAMP });
});

test('a timestamp of zero, as a kernel without software timestamps returns it, counts as none', () => {
  expect(decoded(stampMessage(0, 0)).stampNs).toBe(NO_STAMP);
});

test('any bytes are read without an exception, within their length', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 256 }), fc.nat(400), (bytes, length) => {
      const into = { stampNs: 0, byteIndex: 0 };
      readControl(Buffer.from(bytes), length, ZERO_SECONDS, into);
      expect(Number.isInteger(into.stampNs)).toBe(true);
      expect(into.byteIndex).toBeGreaterThanOrEqual(NO_STAMP);
      expect(into.byteIndex).toBeLessThan(2 ** 32);
    }),
  );
});

test.each([
  ['x64', 12],
  ['arm64', 16],
])('events on %s take %d bytes', (arch, size) => {
  const events = new PolledEvents(arch, 3);
  expect(events.bytes).toHaveLength(3 * size);
  events.set(2, 0x11, 4_294_967_295);
  expect([events.eventsAt(2), events.idAt(2)]).toEqual([0x11, 4_294_967_295]);
  expect([events.eventsAt(1), events.idAt(1)]).toEqual([0, 0]);
});

test('a message header points to the bytes, however high their address', () => {
  const header = new MessageHeader();
  header.place(0x7f12_3456_7000, 0x7f12_3456_8000);
  header.prepare(0x7fff_ffff_f000, 65_536);
  expect(header.bytes.readBigUInt64LE(16)).toBe(0x7f12_3456_7038n);
  expect(header.bytes.readBigUInt64LE(32)).toBe(0x7f12_3456_8000n);
  expect(header.bytes.readBigUInt64LE(56)).toBe(0x7fff_ffff_f000n);
  expect(header.bytes.readBigUInt64LE(64)).toBe(65_536n);
  expect(header.controlLength).toBe(header.control.length);
});

test('addresses have their port in network order, and IPv6 a scope', () => {
  expect(socketAddress(4, 8_000, 0).bytes.subarray(0, 4)).toEqual(Buffer.from([2, 0, 0x1f, 0x40]));
  const { bytes, addressAt } = socketAddress(6, 8_000, 3);
  expect([bytes.length, addressAt, bytes.readUInt32LE(24)]).toEqual([28, 8, 3]);
});

const decoded = (control: Buffer) => {
  const into = { stampNs: 1, byteIndex: 1 };
  readControl(control, control.length, ZERO_SECONDS, into);
  return into;
};

/** SOL_SOCKET, SCM_TIMESTAMPING with three timespecs. */
const stampMessage = (seconds: number, nanoseconds: number): Buffer => {
  const bytes = Buffer.alloc(64);
  bytes.writeBigUInt64LE(64n, 0);
  bytes.writeInt32LE(1, 8);
  bytes.writeInt32LE(37, 12);
  bytes.writeBigInt64LE(BigInt(seconds), 16);
  bytes.writeBigInt64LE(BigInt(nanoseconds), 24);
  return bytes;
};

/** IP_RECVERR with a sock_extended_err of SO_EE_ORIGIN_TIMESTAMPING. */
const departureMessage = (byteIndex: number): Buffer => {
  const bytes = Buffer.alloc(48);
  bytes.writeBigUInt64LE(48n, 0);
  bytes.writeInt32LE(0, 8);
  bytes.writeInt32LE(11, 12);
  bytes.writeUInt32LE(42, 16);
  bytes.writeUInt8(4, 20);
  bytes.writeUInt32LE(byteIndex, 28);
  return bytes;
};
