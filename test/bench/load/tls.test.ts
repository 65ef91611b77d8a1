import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import tls from 'node:tls';
import { beforeAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { chunkedStream, STREAM } from '../target/reply-shapes.ts';
import { loadPlan } from './load-plan.ts';
import { runHere } from './run-here.ts';
import { scriptedServer } from './scripted-server.ts';

let authority = '';
let certificate = { key: '', cert: '' };

beforeAll(() => {
  using folder = temporaryDirectory();
  const at = (name: string): string => join(folder.path, name);
  const openssl = (...options: string[]): void => {
    execFileSync('openssl', options, { stdio: 'ignore' });
  };
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.pem'),
    '-days',
    '2',
    '-subj',
    '/CN=Test authority',
  );
  openssl(
    'req',
    ...key,
    '-keyout',
    at('server.key'),
    '-out',
    at('server.csr'),
    '-subj',
    '/CN=model.test',
    '-addext',
    'subjectAltName=DNS:model.test',
  );
  openssl(
    'x509',
    '-req',
    '-in',
    at('server.csr'),
    '-CA',
    at('ca.pem'),
    '-CAkey',
    at('ca.key'),
    '-CAcreateserial',
    '-out',
    at('server.pem'),
    '-days',
    '2',
    '-copy_extensions',
    'copy',
  );
  authority = readFileSync(at('ca.pem'), 'utf8');
  certificate = { key: readFileSync(at('server.key'), 'utf8'), cert: readFileSync(at('server.pem'), 'utf8') };
});

const GOOD = chunkedStream(STREAM);
const received: { serverName: string | false | null; protocol: string | false | null; isResumed: boolean }[] =
  [];

const secureServer = () =>
  scriptedServer(({ socket }) => socket.write(GOOD), {
    createServer: onConnection =>
      tls.createServer({ ...certificate, ALPNProtocols: ['http/1.1'] }, socket => {
        received.push({
          serverName: socket.servername,
          protocol: socket.alpnProtocol,
          isResumed: socket.isSessionReused(),
        });
        onConnection(socket);
      }),
  });

test('a server with a certificate of the given authority is trusted, by the name that was asked for', async () => {
  await using server = await secureServer();
  const plan = { serverName: 'model.test', authorities: authority, isInsecure: false };
  const run = await runHere(
    loadPlan({ ...server, tls: plan, limits: { samplesMax: 3, durationNs: undefined } }),
  );
  expect(run.samples.map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'completed']);
  expect(run.samples[0]).toMatchObject({ outputTokens: 3, chunkCount: 2, connectNs: 0 });
  expect(received.at(-1)).toMatchObject({ serverName: 'model.test', protocol: 'http/1.1' });
});

test.each([
  ['an unknown authority', () => undefined, 'model.test'],
  ['another name', () => authority, 'other.test'],
])('a certificate of %s fails the samples as tls', async (_, authorities, serverName) => {
  await using server = await secureServer();
  const plan = { serverName, authorities: authorities(), isInsecure: false };
  const run = await runHere(loadPlan({ ...server, tls: plan }));
  expect(run.opened).toMatchObject({ opened: 0, failed: 1 });
  expect(run.samples[0]?.failure?.kind).toBe('tls');
});

test('insecure takes any certificate, and later connections resume the first one', async () => {
  await using server = await scriptedServer(
    ({ socket }) => socket.end(Buffer.from(GOOD.toString().replace('OK', 'OK\r\nconnection: close'))),
    {
      createServer: onConnection =>
        tls.createServer(certificate, socket => {
          received.push({
            serverName: socket.servername,
            protocol: socket.alpnProtocol,
            isResumed: socket.isSessionReused(),
          });
          onConnection(socket);
        }),
    },
  );
  const plan = { serverName: 'any.test', authorities: undefined, isInsecure: true };
  const run = await runHere(
    loadPlan({ ...server, tls: plan, limits: { samplesMax: 3, durationNs: undefined } }),
  );
  expect(run.samples.map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'completed']);
  expect(received.at(-1)?.isResumed).toBe(true);
});

test('a server that uses no TLS fails the samples as tls', async () => {
  await using server = await scriptedServer(() => undefined, {
    createServer: onConnection => {
      const plain = tls.createServer(certificate);
      plain.removeAllListeners('connection');
      plain.on('connection', socket => {
        socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
        onConnection(socket);
      });
      return plain;
    },
  });
  const plan = { serverName: '', authorities: undefined, isInsecure: true };
  const run = await runHere(loadPlan({ ...server, tls: plan }));
  expect(run.samples[0]?.failure?.kind).toBe('tls');
});
