import { describe, expect, test } from 'vitest';
import { hostPortText, isLoopbackHost, parseHostPort } from '../../../src/core/address/host-port.ts';

describe('HOST:PORT', () => {
  test.each([
    ['127.0.0.1:4180', '127.0.0.1', 4180],
    ['[::1]:0', '::1', 0],
    ['[fe80::1%en3]:4181', 'fe80::1%en3', 4181],
    ['atlas.local:65535', 'atlas.local', 65_535],
    ['localhost:80', 'localhost', 80],
  ])('%s is read and written back', (text, host, port) => {
    expect(parseHostPort(text)).toEqual({ kind: 'ok', value: { host, port } });
    expect(hostPortText({ host, port })).toBe(text);
  });

  test.each([
    ['4180', '127.0.0.1:4180'],
    [':4180', '0.0.0.0:4180'],
    ['::1:4180', '[::1]:4180'],
    ['localhost', 'for example'],
    ['[localhost]:80', 'only around IPv6'],
    ['127.0.0.1:65536', '65535'],
    ['300.1.1.1:80', 'at most 255'],
    ['a b:80', 'for example'],
    ['http://127.0.0.1:4180', 'Leave "http://" out: 127.0.0.1:4180.'],
    ['http://127.0.0.1:4180/nodes', 'Leave "http://" out: 127.0.0.1:4180.'],
    ['127.0.0.1:-1', 'for example'],
    ['127.0.0.1:', 'for example'],
    ['', 'for example'],
  ])('%s is refused with advice', (text, advice) => {
    expect(parseHostPort(text)).toMatchObject({ kind: 'wrong', advice: expect.stringContaining(advice) });
  });

  test('recognizes hosts that only this machine can reach', () => {
    for (const host of ['127.0.0.1', '127.9.9.9', '::1', 'localhost'])
      expect(isLoopbackHost(host)).toBe(true);
    for (const host of ['0.0.0.0', '::', '192.168.1.2', '127.evil.example'])
      expect(isLoopbackHost(host)).toBe(false);
  });
});
