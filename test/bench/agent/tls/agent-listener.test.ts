import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { agentPsk, makeAgentCode, parseAgentCode } from '../../../../src/bench/agent/tls/agent-code.ts';
import { AgentListener } from '../../../../src/bench/agent/tls/agent-listener.ts';
import { dialAgent } from '../../../../src/bench/agent/tls/dial-agent.ts';
import type { CoordinatorChannel } from '../../../../src/bench/fleet/agent-channel.ts';
import { channelToCoordinator } from '../../../../src/bench/fleet/framed-channel.ts';
import { TLS_SETTINGS } from '../../../../src/channel/psk-proof.ts';
import { systemClock } from '../../../../src/clock/system-clock.ts';
import { AGENT_MESSAGE_BYTES_MAX } from '../../../../src/wire/agent-message.ts';

interface OpenListener extends AsyncDisposable {
  readonly port: number;
  readonly strangers: () => number;
  readonly next: () => Promise<CoordinatorChannel>;
  readonly strangersReach: (count: number) => Promise<void>;
}

const openListener = async (
  secret: () => string | undefined,
  handshakeMs = 30_000,
): Promise<OpenListener> => {
  const channels: CoordinatorChannel[] = [];
  let arrived = Promise.withResolvers<void>();
  let counted = Promise.withResolvers<void>();
  const door = new AgentListener({
    secret,
    handshakeMs,
    clock: systemClock,
    onPipe: (pipe, from) => {
      channels.push(channelToCoordinator(pipe, from));
      arrived.resolve();
      arrived = Promise.withResolvers();
    },
    onStrangers: () => {
      counted.resolve();
      counted = Promise.withResolvers();
    },
  });
  const port = await door.listen('127.0.0.1', 0);
  return {
    port,
    strangers: () => door.strangers,
    next: async () => {
      for (;;) {
        const channel = channels.shift();
        if (channel !== undefined) return channel;
        await arrived.promise;
      }
    },
    strangersReach: async count => {
      while (door.strangers < count) await counted.promise;
    },
    [Symbol.asyncDispose]: () => door.close(),
  };
};

const dial = (port: number, secret: string) =>
  dialAgent({
    name: 'juno',
    addresses: [{ host: '127.0.0.1', port }],
    secret,
    signal: AbortSignal.timeout(30_000),
  });

const raw = async (port: number): Promise<Socket> => {
  const socket = connectTcp({ host: '127.0.0.1', port });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
};

/** All that comes back, until the other end closes. */
const answerTo = async (socket: Socket): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  if (!socket.closed) await once(socket, 'close');
  return Buffer.concat(chunks);
};

describe('the code of an agent', () => {
  test('has 140 random bits, and is read as people type it', () => {
    const code = makeAgentCode();
    expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){6}[0-9A-HJKMNP-TV-Z]{4}$/);
    expect(new Set(Array.from({ length: 100 }, makeAgentCode)).size).toBe(100);
    expect(parseAgentCode(` ${code.toLowerCase().replaceAll('-', '').replaceAll('0', 'o')} `)).toEqual({
      kind: 'ok',
      value: code,
    });
  });

  test('with a slip in it is refused without being echoed', () => {
    const wrong = parseAgentCode('7QKF-M2XW-9TBD');
    expect(wrong).toMatchObject({ kind: 'wrong' });
    expect(JSON.stringify(wrong)).not.toContain('7QKF');
    expect(() => agentPsk('7QKF-M2XW-9TBD')).toThrow(RangeError);
  });
});

describe('the door of an agent', () => {
  test('opens a channel to who has the code, both ways', async () => {
    const code = makeAgentCode();
    await using door = await openListener(() => code);
    await using up = await dial(door.port, code);
    await using down = await door.next();
    await up.send({ kind: 'ping', id: 7 });
    for await (const message of down.messages) {
      expect(message).toEqual({ kind: 'ping', id: 7 });
      break;
    }
    const bytes = new Uint8Array(AGENT_MESSAGE_BYTES_MAX - 200).fill(7);
    const sent = down.send({ kind: 'samples', index: 0, isLast: true, rawBytes: 9, bytes });
    for await (const message of up.messages) {
      expect(message.kind === 'samples' && Buffer.compare(message.bytes, bytes)).toBe(0);
      break;
    }
    expect(await sent).toBe(true);
    await up.close('done', 'all is there');
    expect(await down.closed).toEqual({ reason: 'done', by: 'other end', detail: 'all is there' });
  });

  test('stays shut to a wrong code, and to the right one once it is used up', async () => {
    const code = makeAgentCode();
    let secret: string | undefined = code;
    await using door = await openListener(() => secret);
    await expect(dial(door.port, makeAgentCode())).rejects.toMatchObject({
      problem: {
        code: 'unreachable',
        problem: expect.stringMatching(/^the agent \S+ does not accept this code$/),
        advice: expect.not.stringContaining('firewall'),
      },
    });
    secret = undefined;
    await expect(dial(door.port, code)).rejects.toMatchObject({
      problem: { problem: expect.stringContaining('does not accept this code') },
    });
    await door.strangersReach(2);
    expect(door.strangers()).toBe(2);
  });

  test('reports nothing but the refusal of TLS to garbage, HTTP, TLS without a key and silence', async () => {
    await using door = await openListener(() => makeAgentCode(), 500);
    for (const bytes of [Buffer.alloc(4_000, 7), Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')]) {
      const socket = await raw(door.port);
      const answered = answerTo(socket);
      socket.write(bytes);
      // At most a TLS alert record: 5 bytes of head, 2 of alert.
      expect((await answered).length).toBeLessThanOrEqual(7);
    }
    const { ciphers: _ciphers, ...settings } = TLS_SETTINGS;
    const tls = connectTls({ ...settings, host: '127.0.0.1', port: door.port, rejectUnauthorized: false });
    tls.on('error', () => undefined);
    let isSecure = false;
    tls.once('secureConnect', () => {
      isSecure = true;
    });
    await new Promise(resolve => tls.once('close', resolve));
    expect(isSecure).toBe(false);
    const silent = await raw(door.port);
    expect((await answerTo(silent)).length).toBe(0);
    await door.strangersReach(4);
  });

  test('takes the coordinator while strangers hold as many connections as they can', async () => {
    const code = makeAgentCode();
    await using door = await openListener(() => code);
    const sockets = await Promise.all(Array.from({ length: 12 }, () => raw(door.port)));
    await using up = await dial(door.port, code);
    await using down = await door.next();
    expect(down.peer).toBe('127.0.0.1');
    await up.close('done');
    for (const socket of sockets) socket.destroy();
  });

  test('closes on an address that comes too often, before any TLS', async () => {
    const code = makeAgentCode();
    await using door = await openListener(() => code);
    const sockets = await Promise.all(Array.from({ length: 60 }, () => raw(door.port)));
    await door.strangersReach(30);
    await expect(dial(door.port, code)).rejects.toMatchObject({ problem: { code: 'unreachable' } });
    for (const socket of sockets) socket.destroy();
  });

  test('ends the channel of a coordinator whose frame is longer than any message', async () => {
    const code = makeAgentCode();
    await using door = await openListener(() => code);
    const socket = await knocking(door.port, code);
    await using down = await door.next();
    socket.resume();
    socket.write(Buffer.from([0x7f, 0xff, 0xff, 0xff, 0]));
    expect(await down.closed).toMatchObject({ reason: 'malformed', by: 'this end' });
    socket.destroy();
  });

  test('closes its channel when a coordinator has died', async () => {
    const code = makeAgentCode();
    await using door = await openListener(() => code);
    const socket = await knocking(door.port, code);
    await using down = await door.next();
    socket.destroy();
    expect(await down.closed).toMatchObject({ reason: 'lost', by: 'other end' });
  });
});

/** A coordinator that has the right code but sends no frames. */
const knocking = async (port: number, code: string): Promise<TLSSocket> => {
  const socket = connectTls({
    ...TLS_SETTINGS,
    host: '127.0.0.1',
    port,
    pskCallback: () => ({ psk: agentPsk(code), identity: 'plimsoll-agent/1' }),
    checkServerIdentity: () => undefined,
  });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
};
