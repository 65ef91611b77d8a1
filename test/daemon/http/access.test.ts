import { describe, expect, test } from 'vitest';
import { Access, CODES_MAX } from '../../../src/daemon/http/access.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { bearer, postJson, sendRequest } from './http-exchange.ts';
import { SELF, serveCluster, TOKEN } from './served-cluster.ts';

const READS = [
  '/api/state',
  '/api/state/nodeMemories',
  '/api/stream',
  '/api/history',
  '/api/nodes',
  '/api/nodes/self',
  '/api/links',
  '/api/runs',
  '/api/daemon',
  '/metrics',
  '/openapi.json',
];

describe('on loopback', () => {
  test.each(READS.filter(path => path !== '/api/stream'))('%s needs no token', async path => {
    await using served = await serveCluster();
    expect((await sendRequest({ port: served.port, path })).status).not.toBe(401);
  });

  test('making a code needs the token all the same', async () => {
    await using served = await serveCluster();
    const refused = await postJson(served.port, '/api/access/one-time-code', {});
    expect([refused.status, JSON.parse(refused.body).code]).toEqual([401, 'token-needed']);
    const made = await postJson(served.port, '/api/access/one-time-code', {}, bearer(TOKEN));
    expect(made.status).toBe(201);
    expect(JSON.parse(made.body)).toEqual({
      code: expect.stringMatching(/^[\w-]{22}$/),
      expiresInMs: 600_000,
    });
  });

  test('a forwarded address changes nothing, because only the bound one counts', async () => {
    await using served = await serveCluster();
    const headers = { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7' };
    expect((await sendRequest({ port: served.port, path: '/api/state', headers })).status).toBe(200);
  });
});

describe('beyond loopback', () => {
  test.each(READS)('%s needs the token, though it is asked from this machine', async path => {
    await using served = await serveCluster({ host: '0.0.0.0' });
    const refused = await sendRequest({
      port: served.port,
      path,
      headers: { 'x-forwarded-for': '127.0.0.1' },
    });
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toMatch(/^Bearer/);
  });

  test.each(READS.filter(path => path !== '/api/stream'))('%s answers the token', async path => {
    await using served = await serveCluster({ host: '0.0.0.0' });
    const answer = await sendRequest({ port: served.port, path, headers: bearer(TOKEN) });
    expect([200, 404]).toContain(answer.status);
  });

  test('/readyz answers everybody, 503 with what is missing until nothing is', async () => {
    const missing: string[] = ['first reading of memory', 'first reading of gpus nvidia'];
    await using served = await serveCluster({ host: '0.0.0.0', readiness: { missing } });
    const waits = await sendRequest({ port: served.port, path: '/readyz' });
    expect(waits.status).toBe(503);
    expect(waits.headers['content-type']).toContain('application/problem+json');
    expect(waits.headers['retry-after']).toBe('1');
    expect(JSON.parse(waits.body)).toMatchObject({
      code: 'not-ready',
      detail: 'This daemon is not ready: first reading of memory, first reading of gpus nvidia.',
      missing,
    });
    expect((await sendRequest({ port: served.port, path: '/healthz' })).status).toBe(200);
    missing.length = 0;
    const ready = await sendRequest({ port: served.port, path: '/readyz' });
    expect([ready.status, ready.body]).toEqual([200, '{"status":"ready"}']);
  });

  test('/healthz and the page answer everybody', async () => {
    await using served = await serveCluster({ host: '0.0.0.0' });
    expect((await sendRequest({ port: served.port, path: '/healthz' })).body).toBe('{"status":"ok"}');
    expect((await sendRequest({ port: served.port, path: '/' })).status).toBe(503);
  });

  test.each([
    ['a wrong token', bearer(`${TOKEN}x`)],
    ['the token in another case', bearer(TOKEN.toUpperCase())],
    ['the token as a password', { authorization: `Basic ${btoa(`:${TOKEN}`)}` }],
    ['an empty token', { authorization: 'Bearer ' }],
    ['a made-up cookie', { cookie: 'plimsoll-selfaaaaaaaa=v1.9999999999999.AAAA' }],
    ['the token as the cookie', { cookie: `plimsoll-selfaaaaaaaa=${TOKEN}` }],
  ])('%s opens nothing', async (_what, headers) => {
    await using served = await serveCluster({ host: '0.0.0.0' });
    expect((await sendRequest({ port: served.port, path: '/api/state', headers })).status).toBe(401);
  });

  test('wrong tokens soon get 429, and a minute later 401 again', async () => {
    await using served = await serveCluster({ host: '0.0.0.0', limits: { refusalsPerMinuteMax: 5 } });
    const wrong = () =>
      sendRequest({ port: served.port, path: '/api/state', headers: bearer('x'.repeat(30)) });
    const statuses = [];
    for (let count = 0; count < 6; count += 1) statuses.push((await wrong()).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    await served.clock.advance(60_000);
    expect((await wrong()).status).toBe(401);
  });

  test('a name of the home is not revealed', async () => {
    await using open = await serveCluster({ home: '/home/somebody/.plimsoll' });
    await using closed = await serveCluster({ host: '0.0.0.0', home: '/home/somebody/.plimsoll' });
    expect((await sendRequest({ port: open.port, path: '/api/daemon' })).body).toContain('/home/somebody');
    const answer = await sendRequest({ port: closed.port, path: '/api/daemon', headers: bearer(TOKEN) });
    expect(answer.body).not.toContain('/home/somebody');
  });
});

describe('a one-time code', () => {
  const swap = (port: number, code: unknown) => postJson(port, '/api/access/code', { code });

  test('is swapped for a cookie that scripts and other sites cannot use', async () => {
    await using served = await serveCluster({ host: '0.0.0.0' });
    const swapped = await swap(served.port, served.access.issueCode());
    expect(swapped.status).toBe(204);
    const header = swapped.headers['set-cookie']?.[0] ?? '';
    expect(header).toMatch(/; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/);
    expect(header).not.toContain(TOKEN);
    const cookie = header.split(';')[0] ?? '';
    const headers = { cookie: `other=1; ${cookie}; more=2` };
    expect((await sendRequest({ port: served.port, path: '/api/state', headers })).status).toBe(200);
  });

  test('is good once', async () => {
    await using served = await serveCluster();
    const code = served.access.issueCode();
    expect((await swap(served.port, code)).status).toBe(204);
    const again = await swap(served.port, code);
    expect([again.status, JSON.parse(again.body).code]).toEqual([403, 'code-not-good']);
  });

  test('is good for ten minutes', async () => {
    await using served = await serveCluster();
    const [early, late] = [served.access.issueCode(), served.access.issueCode()];
    await served.clock.advance(599_999);
    expect((await swap(served.port, early)).status).toBe(204);
    await served.clock.advance(1);
    expect((await swap(served.port, late)).status).toBe(403);
  });

  test('cannot be guessed at will', async () => {
    await using served = await serveCluster({ limits: { refusalsPerMinuteMax: 3 } });
    const statuses = [];
    for (let count = 0; count < 4; count += 1)
      statuses.push((await swap(served.port, `guess${count}`)).status);
    expect(statuses).toEqual([403, 403, 403, 429]);
  });

  test('and the token are good however many wrong ones came from the same address', async () => {
    await using served = await serveCluster({ host: '0.0.0.0', limits: { refusalsPerMinuteMax: 3 } });
    const wrong = bearer('x'.repeat(30));
    for (let count = 0; count < 4; count += 1) {
      await swap(served.port, `guess${count}`);
      await sendRequest({ port: served.port, path: '/api/state', headers: wrong });
    }
    expect((await sendRequest({ port: served.port, path: '/api/state', headers: wrong })).status).toBe(429);
    expect(
      (await sendRequest({ port: served.port, path: '/api/state', headers: bearer(TOKEN) })).status,
    ).toBe(200);
    expect((await swap(served.port, served.access.issueCode())).status).toBe(204);
  });

  test.each([undefined, null, 7, '', 'x'.repeat(65), {}, ['a']])(
    'that is %j is refused as a bad body',
    async code => {
      await using served = await serveCluster();
      expect((await swap(served.port, code)).status).toBe(400);
    },
  );

  test('is one of a bounded number', () => {
    const access = new Access({ clock: new VirtualClock(), token: TOKEN, hostNames: [] });
    const codes = Array.from({ length: CODES_MAX + 1 }, () => access.issueCode());
    expect(access.redeemCode(codes[0] ?? '')).toBeUndefined();
    expect(access.redeemCode(codes[1] ?? '')).toBeDefined();
    expect(access.redeemCode(codes[CODES_MAX] ?? '')).toBeDefined();
  });
});

describe('a cookie', () => {
  const cookieOf = (access: Access): string => access.redeemCode(access.issueCode()) ?? '';

  test('outlives the daemon, not the token', () => {
    const clock = new VirtualClock();
    const access = new Access({ clock, token: TOKEN, hostNames: [] });
    const cookie = cookieOf(access);
    const restarted = new Access({ clock, token: TOKEN, hostNames: [] });
    expect(restarted.grantForCookie(cookie)).toBeDefined();
    restarted.replaceToken('another-token-0123456789-0123456789');
    expect(restarted.grantForCookie(cookie)).toBeUndefined();
  });

  test('ends after thirty days, also when it reports otherwise', async () => {
    const clock = new VirtualClock();
    const access = new Access({ clock, token: TOKEN, hostNames: [] });
    const cookie = cookieOf(access);
    const [version, expires, mac] = cookie.split('.');
    await clock.advance(30 * 24 * 3_600_000);
    expect(access.grantForCookie(cookie)).toBeUndefined();
    expect(access.grantForCookie(`${version}.${Number(expires) + 1e9}.${mac}`)).toBeUndefined();
  });
});

test('a weak token is refused when the server is built', () => {
  const weak = (token: string) => () => new Access({ clock: new VirtualClock(), token, hostNames: [] });
  expect(weak('short')).toThrow(RangeError);
  expect(weak('with spaces in it, and more than 22 characters')).toThrow(RangeError);
});

test('two daemons of one host keep their cookies apart', async () => {
  await using served = await serveCluster();
  const swapped = await postJson(served.port, '/api/access/code', { code: served.access.issueCode() });
  expect(swapped.headers['set-cookie']?.[0]).toMatch(new RegExp(`^plimsoll-${SELF.slice(0, 12)}=`));
});
