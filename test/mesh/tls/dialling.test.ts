// What is not a node where a node dials.

import { createServer as createNetServer } from 'node:net';
import {
  connect as connectTls,
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
} from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TLS_SETTINGS } from '../../../src/channel/psk-proof.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { until } from '../../support/seen-node.ts';
import {
  dial,
  hasReceived,
  listenOn,
  type TlsNode,
  type TlsNodeOptions,
  TlsNodes,
} from '../../support/tls-nodes.ts';
import { outcomeOf } from '../../support/tls-outcome.ts';

describe('where a node dials', () => {
  let nodes: TlsNodes;
  const node = (options: TlsNodeOptions = {}): Promise<TlsNode> => nodes.node(options);

  beforeEach(() => {
    nodes = new TlsNodes();
  });

  afterEach(() => nodes[Symbol.asyncDispose]());

  test('a server with a certificate that this machine trusts, but without the key, is refused', async context => {
    const certificate = makeCertificate();
    if (certificate === undefined) {
      context.skip('there is no openssl to make a certificate with');
      return;
    }
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, certificate.cert]);
    const server = createTlsServer({ ...certificate, ciphers: TLS_SETTINGS.ciphers });
    server.on('tlsClientError', () => undefined);
    try {
      const port = await listenOn(server);
      const browser = connectTls({ host: '127.0.0.1', port, servername: '' });
      expect(await outcomeOf(browser)).toBe('secured');
      browser.destroy();
      const one = await node();
      dial(one, port);
      await until(one, () => hasReceived(one, 'not-a-node'));
      expect(one.refusals[0]?.detail).toContain('a certificate does not prove');
    } finally {
      setDefaultCACertificates(trusted);
      server.close();
    }
  });

  test('a server that answers with garbage is no node', async () => {
    const server = createNetServer(socket => {
      socket.on('error', () => undefined);
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    const one = await node();
    dial(one, await listenOn(server));
    await until(one, () => hasReceived(one, 'not-a-node'));
    server.close();
  });

  test('a server that sends nothing costs the time of one dial', async () => {
    const server = createNetServer(socket => {
      socket.on('error', () => undefined);
    });
    const one = await node({ limits: { dialTimeoutMs: 150 } });
    dial(one, await listenOn(server));
    await until(one, () => one.refusals.filter(({ reason }) => reason === 'unreachable').length >= 2);
    server.close();
  });

  test('a port without a listener is reported as unreachable', async () => {
    const server = createNetServer();
    const port = await listenOn(server);
    await new Promise(resolve => server.close(resolve));
    const one = await node();
    dial(one, port);
    await until(one, () => hasReceived(one, 'unreachable'));
    expect(one.refusals[0]).toMatchObject({
      reason: 'unreachable',
      cause: 'nothing-listens',
      detail: 'nothing listens on that port',
    });
  });
});
