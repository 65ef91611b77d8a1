import { expect, test } from 'vitest';
import { int32, lingerReset, parseTcpInfo, socketAbi, timeval } from '../../src/native/socket-abi.ts';

const linux = (length: number): Buffer => {
  const bytes = Buffer.alloc(256);
  bytes.writeUInt32LE(17, 100);
  bytes.writeBigUInt64LE(5_000_000_000n, 120);
  bytes.writeUInt32LE(42, 148);
  return bytes.subarray(0, length);
};

test('tcp_info of Linux contains retransmits, acknowledged bytes and the shortest round trip', () => {
  expect(parseTcpInfo('linux', linux(256))).toEqual({
    retransmits: 17,
    bytesAcknowledged: 5_000_000_000,
    roundTripNsMin: 42_000,
  });
});

test('a kernel that reports less leaves the rest unknown, not zero', () => {
  const old = { kind: 'unknown', reason: 'the kernel is too old to report it' };
  expect(parseTcpInfo('linux', linux(104))).toEqual({
    retransmits: 17,
    bytesAcknowledged: old,
    roundTripNsMin: old,
  });
  expect(parseTcpInfo('linux', linux(0)).retransmits).toEqual(old);
});

test('a round trip that was never measured is unknown', () => {
  const bytes = linux(256);
  bytes.writeUInt32LE(0xffffffff, 148);
  expect(parseTcpInfo('linux', bytes).roundTripNsMin).toMatchObject({ kind: 'unknown' });
});

test('tcp_connection_info of macOS contains retransmitted packets', () => {
  const bytes = Buffer.alloc(112);
  bytes.writeBigUInt64LE(3n, 104);
  expect(parseTcpInfo('darwin', bytes)).toMatchObject({
    retransmits: 3,
    bytesAcknowledged: { kind: 'unknown' },
  });
  expect(parseTcpInfo('win32', bytes).retransmits).toMatchObject({ kind: 'unknown' });
});

test('structs have the layout of their platform', () => {
  const [one, other] = [socketAbi('linux'), socketAbi('darwin')];
  if (one === undefined || other === undefined) throw new Error('a table is missing');
  expect(timeval(one, 1_100).toString('hex')).toBe('0100000000000000a086010000000000');
  expect(timeval(other, 100).toString('hex')).toBe('0000000000000000a086010000000000');
  expect(lingerReset().toString('hex')).toBe('0100000000000000');
  expect(int32(-1).toString('hex')).toBe('ffffffff');
  expect(socketAbi('win32')).toBeUndefined();
});
