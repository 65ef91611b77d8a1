// A server whose certificate nobody signed, as on many desks: refused, or loaded with --insecure and a note in the report.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
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
): Promise<AsyncDisposable & { readonly url: string }> => {
  const server = tls.createServer({ ...certificate }, socket => {
    const upstream = connect(port, '127.0.0.1');
    socket.pipe(upstream).pipe(socket);
    for (const end of [socket, upstream])
      end.on('error', () => {
        socket.destroy();
        upstream.destroy();
      });
  });
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
