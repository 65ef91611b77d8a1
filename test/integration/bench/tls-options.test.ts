// A server whose certificate nobody signed, as on many desks: refused, or loaded with --insecure and a note in the report, or with the
// certificate itself as the authority. And one that requires a certificate of its clients.

import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { expect, test } from 'vitest';
import { spawnMock } from '../../../src/mock/spawn-mock.ts';
import { type Certificate, makeCertificate } from '../../support/certificate.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { benchHere } from './bench-here.ts';

/** TLS in front of the server at a port. */
const tlsProxy = async (
  port: number,
  certificate: Certificate,
  /** Only clients that show this one are let in. */
  client?: Certificate,
): Promise<AsyncDisposable & { readonly url: string }> => {
  const server = tls.createServer(
    { ...certificate, ...(client === undefined ? {} : { ca: client.cert, requestCert: true }) },
    socket => {
      const upstream = connect(port, '127.0.0.1');
      socket.pipe(upstream).pipe(socket);
      for (const end of [socket, upstream])
        end.on('error', () => {
          socket.destroy();
          upstream.destroy();
        });
    },
  );
  server.on('tlsClientError', () => {}); // clients are refused on purpose
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `https://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, 'close');
    },
  };
};

test('a certificate that nobody signed is refused, and accepted with --insecure, which the report notes', async context => {
  const certificate = makeCertificate();
  if (certificate === undefined) return context.skip('there is no openssl');
  using folder = temporaryDirectory();
  await using mock = await spawnMock(
    { ttftMs: 20, gapMs: 1, outputTokens: 5 },
    { nodePath: process.execPath, env: process.env },
  );
  await using proxy = await tlsProxy(Number(new URL(mock.url).port), certificate);
  const args = [proxy.url, '--requests', '3', '--concurrency', '1', '--events', 'off'];
  const refused = await benchHere(folder.path, [...args, '--out', join(folder.path, 'a')]);
  expect(refused.exit).toBe('benchUnreachable');
  expect(refused.stderr).toContain('certificate');
  const taken = await benchHere(folder.path, [...args, '--insecure', '--out', join(folder.path, 'b')]);
  expect(taken.exit).toBe('ok');
  const report: unknown = JSON.parse(readFileSync(join(folder.path, 'b', 'report.json'), 'utf8'));
  expect(report).toMatchObject({
    counts: { completed: 3 },
    notices: expect.arrayContaining(['the TLS certificate of the server was not verified (--insecure)']),
  });
});

test('--insecure without TLS is refused', async () => {
  using folder = temporaryDirectory();
  const refused = await benchHere(folder.path, ['http://127.0.0.1:9', '--insecure']);
  expect(refused.exit).toBe('usage');
  expect(refused.stderr).toContain('--insecure has no effect with http://127.0.0.1:9');
});

test('--ca replaces the authorities of the system', async context => {
  const [certificate, other] = [makeCertificate(), makeCertificate()];
  if (certificate === undefined || other === undefined) return context.skip('there is no openssl');
  using folder = temporaryDirectory();
  await using mock = await spawnMock(
    { ttftMs: 0, gapMs: 0 },
    { nodePath: process.execPath, env: process.env },
  );
  await using proxy = await tlsProxy(Number(new URL(mock.url).port), certificate);
  const [right, wrong, noPem] = ['right.pem', 'wrong.pem', 'no.pem'].map(name => join(folder.path, name));
  writeFileSync(right ?? '', certificate.cert);
  writeFileSync(wrong ?? '', other.cert);
  writeFileSync(noPem ?? '', 'not a certificate');
  const withAuthority = async (file: string | undefined) =>
    await benchHere(folder.path, [proxy.url, ...FEW, '--out', `${file}.run`, '--ca', file ?? '']);
  expect((await withAuthority(right)).exit).toBe('ok');
  const refused = await withAuthority(wrong);
  expect(refused.exit).toBe('benchUnreachable');
  expect(refused.stderr).toContain('--ca FILE');
  for (const file of [noPem, join(folder.path, 'missing.pem')]) {
    const unusable = await withAuthority(file);
    expect(unusable.exit).toBe('benchInput');
    expect(unusable.stderr).toContain(`--ca ${file} cannot be`);
  }
});

test('--client-cert identifies this client, and its key is stored nowhere', async context => {
  const [certificate, client] = [makeCertificate(), makeCertificate()];
  if (certificate === undefined || client === undefined) return context.skip('there is no openssl');
  using folder = temporaryDirectory();
  await using mock = await spawnMock(
    { ttftMs: 0, gapMs: 0 },
    { nodePath: process.execPath, env: process.env },
  );
  await using proxy = await tlsProxy(Number(new URL(mock.url).port), certificate, client);
  const at = (name: string): string => join(folder.path, name);
  writeFileSync(at('ca.pem'), certificate.cert);
  writeFileSync(at('cert.pem'), client.cert);
  writeFileSync(at('key.pem'), client.key);
  writeFileSync(at('both.pem'), `${client.cert}${client.key}`);
  const identifiedBy = async (out: string, ...words: readonly string[]) =>
    await benchHere(folder.path, [proxy.url, ...FEW, '--out', at(out), '--ca', at('ca.pem'), ...words]);
  const without = await identifiedBy('a');
  expect(without.exit).toBe('benchUnreachable');
  expect(without.stderr).toContain('it requires a certificate of its clients');
  expect(without.stderr).toContain('--client-cert FILE');
  expect((await identifiedBy('b', '--client-cert', at('both.pem'))).exit).toBe('ok');
  expect((await identifiedBy('c', '--client-cert', at('cert.pem'), '--client-key', at('key.pem'))).exit).toBe(
    'ok',
  );
  const [secret = ''] = client.key.split('\n').filter(line => /^[\w+/=]{40,}$/.test(line));
  expect(secret).not.toBe('');
  for (const run of ['b', 'c'])
    for (const file of readdirSync(at(run)))
      expect(readFileSync(join(at(run), file), 'latin1'), file).not.toContain(secret);
  const keyless = await identifiedBy('d', '--client-cert', at('cert.pem'));
  expect(keyless.exit).toBe('benchInput');
  expect(keyless.stderr).toContain('--client-key FILE');
});

const FEW = ['--requests', '2', '--concurrency', '1'] as const;
