import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { exchangeRaw, sendRequest, statusOf } from './http-exchange.ts';
import { serveCluster } from './served-cluster.ts';

const SCRIPT = `/assets/index-B1a2C3d4.js`;
const SECRET = 'only for the owner';

describe('the dashboard', () => {
  test('is served with its types, and its hashed files for ever', async () => {
    await using built = await buildDashboard();
    await using served = await serveCluster({ dashboardDir: built.dir });
    const page = await sendRequest({ port: served.port, path: '/' });
    expect([page.status, page.body]).toEqual([200, '<h1>page</h1>']);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
    });
    const script = await sendRequest({ port: served.port, path: SCRIPT });
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    const icon = await sendRequest({ port: served.port, path: '/icon.svg' });
    expect(icon.headers).toMatchObject({ 'content-type': 'image/svg+xml', 'cache-control': 'no-cache' });
  });

  test.each([
    '/',
    '/index.html',
    '/links',
    '/links/atlas/juno',
    '/nodes',
    '/nodes/abc',
    '/nodes/abc/',
    '/runs',
    '/runs/r1/samples',
  ])('%s gives the page', async path => {
    await using built = await buildDashboard();
    await using served = await serveCluster({ dashboardDir: built.dir });
    expect((await sendRequest({ port: served.port, path })).body).toBe('<h1>page</h1>');
    expect((await sendRequest({ port: served.port, path: `${path}?theme=dark` })).body).toBe('<h1>page</h1>');
  });

  test.each([
    '/nope',
    '/nodesx',
    '/assets/missing.js',
    '/assets',
    '/assets/',
    '/api',
    '/linksx',
    '/favicon.ico',
  ])('%s is nothing', async path => {
    await using built = await buildDashboard();
    await using served = await serveCluster({ dashboardDir: built.dir });
    const answer = await sendRequest({ port: served.port, path });
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([404, 'not-found']);
  });

  test.each([
    ['/nope', 404, '<h1>page</h1>'],
    ['/favicon.ico', 404, 'not-found'],
    ['/api/nope', 404, 'not-found'],
  ])('a browser that goes to %s is answered %i with words it can show', async (path, status, text) => {
    await using built = await buildDashboard();
    await using served = await serveCluster({ dashboardDir: built.dir });
    const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const answer = await sendRequest({ port: served.port, path, headers });
    expect(answer.status).toBe(status);
    expect(answer.body).toContain(text);
  });

  test.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
    '/..%5csecret.txt',
    '/nodes/../../secret.txt',
    '//secret.txt',
    '/./../secret.txt',
    '/link-out.txt',
    '/out/secret.txt',
    '/.hidden',
    '/assets/.hidden',
    '/index.html%00.txt',
    '/etc/passwd',
    '/__proto__',
    '/constructor',
  ])('%s reaches no file that is not the page', async path => {
    await using built = await buildDashboard();
    await using served = await serveCluster({ dashboardDir: built.dir });
    const raw = await exchangeRaw(
      served.port,
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    expect([400, 404]).toContain(statusOf(raw));
    expect(raw).not.toContain(SECRET);
  });

  test('is compressed for those who ask', async () => {
    await using built = await buildDashboard();
    await using served = await serveCluster({ dashboardDir: built.dir });
    const sent = request({
      host: '127.0.0.1',
      port: served.port,
      path: SCRIPT,
      headers: { 'accept-encoding': 'br, gzip' },
    });
    const answered = once(sent, 'response');
    sent.end();
    const [response] = await answered;
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    expect(response.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(gunzipSync(Buffer.concat(chunks)).toString()).toBe(built.script);
    const refused = await sendRequest({
      port: served.port,
      path: SCRIPT,
      headers: { 'accept-encoding': 'gzip;q=0' },
    });
    expect([refused.headers['content-encoding'], refused.body]).toEqual([undefined, built.script]);
  });

  test('is not sent again to those who have it', async () => {
    await using built = await buildDashboard();
    await using served = await serveCluster({ dashboardDir: built.dir });
    const { headers } = await sendRequest({ port: served.port, path: '/' });
    const again = await sendRequest({
      port: served.port,
      path: '/',
      headers: { 'if-none-match': `W/"x", ${headers.etag}` },
    });
    expect([again.status, again.body]).toEqual([304, '']);
  });

  test('answers HEAD with the length and nothing else', async () => {
    await using built = await buildDashboard();
    await using served = await serveCluster({ dashboardDir: built.dir });
    const answer = await sendRequest({ port: served.port, path: SCRIPT, method: 'HEAD' });
    expect([answer.status, answer.body]).toEqual([200, '']);
    expect(Number(answer.headers['content-length'])).toBe(built.script.length);
  });

  test('that is rebuilt is served at once', async () => {
    await using built = await buildDashboard();
    await using served = await serveCluster({ dashboardDir: built.dir });
    await sendRequest({ port: served.port, path: '/' });
    await rm(join(built.dir, SCRIPT));
    await writeFile(join(built.dir, 'assets/index-Z9y8X7w6.js'), 'new()');
    await writeFile(join(built.dir, 'index.html'), '<h1>new</h1>');
    await utimes(join(built.dir, 'index.html'), 1, 1);
    expect((await sendRequest({ port: served.port, path: SCRIPT })).status).toBe(404);
    expect((await sendRequest({ port: served.port, path: '/' })).body).toBe('<h1>new</h1>');
    expect((await sendRequest({ port: served.port, path: '/assets/index-Z9y8X7w6.js' })).body).toBe('new()');
  });

  test.each([
    ['no folder', undefined],
    ['a folder that is not there', '/nowhere/at/all'],
  ])('with %s reports that it is not built', async (_what, dashboardDir) => {
    await using served = await serveCluster(dashboardDir === undefined ? {} : { dashboardDir });
    const answer = await sendRequest({ port: served.port, path: '/' });
    expect(answer.status).toBe(503);
    expect(answer.body).toContain('npm run build');
    expect((await sendRequest({ port: served.port, path: '/x.js' })).status).toBe(404);
  });
});

interface BuiltDashboard extends AsyncDisposable {
  readonly dir: string;
  readonly script: string;
}

const buildDashboard = async (): Promise<BuiltDashboard> => {
  const root = await mkdtemp(join(tmpdir(), 'plimsoll-dashboard-'));
  const dir = join(root, 'dashboard');
  const script = 'console.log(1);\n'.repeat(500);
  await mkdir(join(dir, 'assets'), { recursive: true });
  await writeFile(join(root, 'secret.txt'), SECRET);
  await writeFile(join(dir, 'index.html'), '<h1>page</h1>');
  await writeFile(join(dir, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(join(dir, SCRIPT), script);
  await writeFile(join(dir, '.hidden'), SECRET);
  await writeFile(join(dir, 'assets/.hidden'), SECRET);
  await symlink(join(root, 'secret.txt'), join(dir, 'link-out.txt'));
  await symlink(root, join(dir, 'out'));
  return { dir, script, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
};
