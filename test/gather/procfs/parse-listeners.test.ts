// Sockets that listen, from the kernel's own lists.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { parseListeners } from '../../../src/gather/procfs/parse-listeners.ts';

const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode                                                     ';

test('reads the address, port and inode of sockets that listen, and of no others', () => {
  const text = [
    HEAD,
    '   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 81234 1 0000000000000000 100 0 0 10 0',
    '   1: 00000000:2CAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 81235 1 0000000000000000 100 0 0 10 0',
    '   2: 0A01A8C0:1F40 0B01A8C0:C350 01 00000000:00000000 00:00000000 00000000  1000        0 81236 1 0000000000000000 20 4 30 10 -1',
    'not a line',
  ].join('\n');
  expect(parseListeners(text)).toEqual([
    { address: '127.0.0.1', port: 8_080, inode: '81234' },
    { address: '0.0.0.0', port: 11_434, inode: '81235' },
  ]);
});

test('reads IPv6 in its shortest form', () => {
  const text = [
    HEAD,
    '   0: 00000000000000000000000000000000:2CAA 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 9 1 0',
    '   1: 00000000000000000000000001000000:7530 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 10 1 0',
  ].join('\n');
  expect(parseListeners(text)).toEqual([
    { address: '::', port: 11_434, inode: '9' },
    { address: '::1', port: 30_000, inode: '10' },
  ]);
});

test('another file is not read', () => {
  expect(parseListeners('Inter-|   Receive')).toBeUndefined();
  expect(parseListeners('')).toBeUndefined();
});

test('finds a socket of this process in the list of this machine', async context => {
  if (process.platform !== 'linux') context.skip('not a Linux machine');
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const listeners = parseListeners(readFileSync('/proc/net/tcp', 'utf8'));
  server.close();
  expect(listeners?.map(({ address: host, port: at }) => `${host}:${at}`)).toContain(`127.0.0.1:${port}`);
});
