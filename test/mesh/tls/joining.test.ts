// A machine without the cluster key at the port of a mesh, with a code and without one; and those who play a mesh to it.

import { createServer as createNetServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dialByPsk, TLS_SETTINGS } from '../../../src/channel/psk-proof.ts';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { clusterKeyText, makeClusterKey } from '../../../src/mesh/key/cluster-key.ts';
import { joinProof } from '../../../src/mesh/key/join-code.ts';
import { JoinCodeService } from '../../../src/mesh/tls/join-code-service.ts';
import { type JoinOutcome, requestToJoin } from '../../../src/mesh/tls/request-to-join.ts';
import { until } from '../../support/seen-node.ts';
import { dial, hasReceived, listenOn, portOf, TlsNodes } from '../../support/tls-nodes.ts';

describe('a desk where machines join', () => {
  let nodes: TlsNodes;
  let service: JoinCodeService;
  let port: number;

  beforeEach(async () => {
    nodes = new TlsNodes();
    service = new JoinCodeService(systemClock, [nodes.key]);
    port = portOf(await nodes.node({ joinCredentials: service }));
  });

  afterEach(() => nodes[Symbol.asyncDispose]());

  test('gives the key once for a code: a replay is refused as used, and the mesh goes on', async () => {
    const secret = service.issue();
    const first = await request(secret, port);
    expect(first).toMatchObject({ kind: 'member', keys: [{ id: nodes.key.id }] });
    expect(await request(secret, port)).toMatchObject({ kind: 'refused', reason: 'used' });
    const member = await nodes.node();
    dial(member, port);
    await until(member, () => member.transport.links.size === 1);
  });

  test('gives it to one of two that come together', async () => {
    const secret = service.issue();
    const outcomes = await Promise.all([request(secret, port), request(secret, port)]);
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['member', 'refused']);
  });

  test('gives both keys while the cluster changes its key', async () => {
    const next = makeClusterKey();
    service.setKeys([next, nodes.key]);
    expect(await request(service.issue(), port)).toMatchObject({
      keys: [{ id: next.id }, { id: nodes.key.id }],
    });
  });

  test('closes a code after five handshakes that named it without its secret, and reports why', async () => {
    const secret = service.issue();
    const { id } = joinProof(secret);
    for (let tries = 0; tries < 5; tries += 1)
      expect(await tlsUnder({ id, psk: new Uint8Array(32).fill(tries) }, port)).toBe('refused');
    expect(await request(secret, port)).toMatchObject({ kind: 'refused', reason: 'tries' });
    expect(await request(service.issue(), port), 'another code is not touched').toMatchObject({
      kind: 'member',
    });
  });

  test('does not count those who break off, or name no code', async () => {
    const secret = service.issue();
    for (let tries = 0; tries < 6; tries += 1) {
      const other = { id: `join-${'0'.repeat(15)}${tries}`, psk: new Uint8Array(32) };
      expect(await tlsUnder(other, port)).toBe('refused');
    }
    expect(await request(secret, port)).toMatchObject({ kind: 'member' });
  });

  test('reports of a code that it never gave that the node there does not know it', async () => {
    expect(await request(new Uint8Array(16), port)).toMatchObject({
      kind: 'failed',
      tries: [{ reason: 'unknown-code' }],
    });
  });

  test('is not a member because of the code: a machine that opens TLS with it receives one line and no more', async () => {
    const stranger = await nodes.node({ keys: [makeClusterKey()] });
    dial(stranger, port);
    await until(stranger, () => hasReceived(stranger, 'wrong-key'));
    expect(stranger.transport.links.size).toBe(0);
  });
});

describe('a machine that joins goes past', () => {
  const secret = new Uint8Array(16).fill(3);

  test.each([
    ['garbage', 'not json\n'],
    ['a key with a wrong character', answerWith(['plimsoll-key-1-aaaa'])],
    [
      'more keys than a cluster has',
      answerWith(Array.from({ length: 3 }, () => clusterKeyText(makeClusterKey()))),
    ],
    ['a kind that is none', '{"kind":"root","clusterKeys":[]}'],
    ['half an answer', answerWith([clusterKeyText(makeClusterKey())]).slice(0, -20)],
    ['an endless one', 'x'.repeat(100_000)],
  ])('a listener that has the code and answers %s', async (_what, answer) => {
    await using liar = await listening(joinProof(secret), answer);
    expect(await request(secret, liar.port)).toMatchObject({
      kind: 'failed',
      tries: [{ reason: 'not-a-node' }],
    });
  });

  test('a listener without the code, with TLS of its own or none, and takes the next address', async () => {
    await using nodes = new TlsNodes();
    const service = new JoinCodeService(systemClock, [nodes.key]);
    const { port } = { port: portOf(await nodes.node({ joinCredentials: service })) };
    const issued = service.issue();
    await using other = await listening({ id: joinProof(issued).id, psk: new Uint8Array(32) }, 'never sent');
    const plain = createNetServer(socket =>
      socket.on('error', () => undefined).end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    );
    const plainPort = await listenOn(plain);
    const addresses = [other.port, plainPort, 1, port].map(each => ({ host: '127.0.0.1', port: each }));
    const outcome = await requestToJoin(
      { secret: issued, addresses },
      systemClock,
      new AbortController().signal,
    );
    expect(outcome).toMatchObject({ kind: 'member', address: { port } });
    plain.close();
  });
});

const request = (secret: Uint8Array, port: number): Promise<JoinOutcome> =>
  requestToJoin(
    { secret, addresses: [{ host: '127.0.0.1', port }] },
    systemClock,
    new AbortController().signal,
  );

/** What comes of TLS under some PSK: 'secured' would be a key for a stranger. */
const tlsUnder = async (
  proof: { readonly id: string; readonly psk: Uint8Array },
  port: number,
): Promise<'secured' | 'refused'> => {
  const dialled = await dialByPsk(proof, { host: '127.0.0.1', port }, new AbortController().signal);
  if (dialled.kind === 'open') dialled.socket.destroy();
  return dialled.kind === 'open' ? 'secured' : 'refused';
};

function answerWith(clusterKeys: readonly string[]): string {
  return JSON.stringify({ kind: 'member', clusterKeys });
}

/** TLS under a PSK, and then this text. */
const listening = async (
  { psk }: { readonly id: string; readonly psk: Uint8Array },
  text: string,
): Promise<{ readonly port: number } & AsyncDisposable> => {
  const server = createTlsServer({ ...TLS_SETTINGS, pskCallback: () => Buffer.from(psk) }, socket => {
    socket.on('error', () => undefined);
    socket.end(text);
  });
  server.on('tlsClientError', () => undefined);
  const port = await listenOn(server);
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      server.close();
    },
  };
};
