import { networkInterfaces } from 'node:os';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalAddress, isLoopbackAddress, parseHost } from '../../../src/daemon/http/host.ts';
import { exchangeRaw, postJson, sendRequest, statusOf } from './http-exchange.ts';
import { serveCluster } from './served-cluster.ts';

const ownAddress = Object.values(networkInterfaces())
  .flatMap(addresses => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

describe('the Host header', () => {
  test.each([
    'localhost',
    'LOCALHOST:1',
    '127.0.0.1',
    '127.9.9.9:80',
    '[::1]',
    'a.localhost',
    'studio.local',
    'Studio.Local.:9',
  ])('%s is answered', async host => {
    await using served = await serveCluster({ hostNames: ['studio.local'] });
    expect((await sendRequest({ port: served.port, path: '/api/state', headers: { host } })).status).toBe(
      200,
    );
  });

  test('this machine is answered under its own address', async context => {
    if (ownAddress === undefined) return context.skip('this machine has no address but loopback');
    await using served = await serveCluster();
    const headers = { host: `${ownAddress}:80` };
    expect((await sendRequest({ port: served.port, path: '/api/state', headers })).status).toBe(200);
  });

  test.each([
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'notlocalhost',
    '0.0.0.0',
    '203.0.113.9',
    '[2001:db8::9]',
  ])('%s is refused on every path, so that a rebound name reads nothing', async host => {
    await using served = await serveCluster({ hostNames: ['studio.local'] });
    for (const path of ['/', '/api/state', '/healthz', '/nothing']) {
      const { status, body } = await sendRequest({ port: served.port, path, headers: { host } });
      expect([status, JSON.parse(body).code]).toEqual([403, 'host-not-allowed']);
    }
  });

  test.each([
    'a b',
    'user@localhost',
    'localhost/x',
    'localhost:99999',
    '[::1',
    '::1',
    '[localhost]',
    '127.0.0.1:80:80',
    '',
  ])('%j is malformed', async host => {
    await using served = await serveCluster();
    const raw = await exchangeRaw(
      served.port,
      `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    expect(statusOf(raw)).toBe(400);
  });

  test('missing or sent twice is malformed', async () => {
    await using served = await serveCluster();
    const missing = await exchangeRaw(served.port, 'GET /api/state HTTP/1.1\r\nConnection: close\r\n\r\n');
    const twice = await exchangeRaw(
      served.port,
      'GET /api/state HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    );
    expect([statusOf(missing), statusOf(twice)]).toEqual([400, 400]);
  });

  test('of any text parses to a host or to nothing', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webAuthority(),
          fc.ipV6().map(ip => `[${ip}]:1`),
        ),
        text => {
          const host = parseHost(text);
          expect(
            host === undefined || (host.name === host.name.toLowerCase() && !/[[\]\s/@]/.test(host.name)),
          ).toBe(true);
        },
      ),
    );
  });
});

describe('the Origin header', () => {
  test.each([
    'https://evil.example',
    'http://localhost:1',
    'null',
    'http://localhost',
    '',
    'http://127.0.0.1',
    'file://',
  ])('%j is refused, reading or writing', async origin => {
    await using served = await serveCluster();
    const headers = { host: `localhost:${served.port}`, origin };
    expect((await sendRequest({ port: served.port, path: '/api/state', headers })).status).toBe(403);
    expect((await postJson(served.port, '/api/access/code', { code: 'x' }, headers)).status).toBe(403);
  });

  test('of the very host that is asked is answered, also behind TLS', async () => {
    await using served = await serveCluster();
    const host = `localhost:${served.port}`;
    for (const origin of [`http://${host}`, `https://${host}`, `HTTP://${host.toUpperCase()}`]) {
      expect(
        (await sendRequest({ port: served.port, path: '/api/state', headers: { host, origin } })).status,
      ).toBe(200);
    }
  });

  test('never earns permission to read across origins', async () => {
    await using served = await serveCluster();
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'GET' };
    const { headers: answered } = await sendRequest({
      port: served.port,
      path: '/api/state',
      method: 'OPTIONS',
      headers,
    });
    expect(Object.keys(answered).filter(name => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('a request that a browser marks', () => {
  const requested = (port: number, site: string, rest: Readonly<Record<string, string>> = {}) =>
    sendRequest({ port, path: '/api/state', headers: { 'sec-fetch-site': site, ...rest } });

  test.each(['cross-site', 'same-site', 'something-new'])('%s cannot read', async site => {
    await using served = await serveCluster();
    expect((await requested(served.port, site)).status).toBe(403);
    const frame = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' };
    expect((await requested(served.port, site, frame)).status).toBe(403);
  });

  test('cross-site may follow a link to a page', async () => {
    await using served = await serveCluster();
    const link = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    expect((await requested(served.port, 'cross-site', link)).status).toBe(200);
  });

  test.each(['same-origin', 'none'])('%s is answered', async site => {
    await using served = await serveCluster();
    expect((await requested(served.port, site)).status).toBe(200);
  });
});

describe('rates', () => {
  test('past the burst an address waits, and then may go on', async () => {
    await using served = await serveCluster({ limits: { requestsPerSecondMax: 2 } });
    const statuses = [];
    for (let count = 0; count < 5; count += 1)
      statuses.push((await sendRequest({ port: served.port, path: '/healthz' })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
    await served.clock.advance(500);
    expect((await sendRequest({ port: served.port, path: '/healthz' })).status).toBe(200);
  });
});

test.each([
  ['127.0.0.1', true],
  ['127.255.0.3', true],
  ['::1', true],
  ['0:0:0:0:0:0:0:1', true],
  ['::ffff:127.0.0.1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.0.2.1', false],
  ['::ffff:192.0.2.1', false],
  ['fe80::1%eth0', false],
  ['', false],
])('the address %j on loopback: %s', (address, isLoopback) => {
  expect(isLoopbackAddress(address)).toBe(isLoopback);
});

test('one address has one spelling', () => {
  expect(canonicalAddress('FE80:0:0::1%eth0')).toBe('fe80::1');
  expect(canonicalAddress('::FFFF:192.0.2.1')).toBe('192.0.2.1');
});
