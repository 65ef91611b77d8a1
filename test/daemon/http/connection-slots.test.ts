import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { ConnectionSlots } from '../../../src/daemon/http/connection-slots.ts';
import { HTTP_LIMITS } from '../../../src/daemon/http/http-options.ts';
import { rawConnection } from '../../support/raw-http.ts';
import { bearer, sendRequest } from './http-exchange.ts';
import { serveCluster, TOKEN } from './served-cluster.ts';

const ownAddress = Object.values(networkInterfaces())
  .flatMap(addresses => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

describe('half requests from another machine', () => {
  test('take the places of that machine alone, the oldest gives way to the newest, and nobody else is kept out', async context => {
    if (ownAddress === undefined) return context.skip('this machine has no address but loopback');
    await using served = await serveCluster({ host: '0.0.0.0' });
    const { port } = served;
    const half = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n';
    const attack = Array.from({ length: 600 }, () => rawConnection({ host: ownAddress, port }));
    for (const one of attack) one.send(half);
    await Promise.race(attack.map(one => one.ended()));
    expect((await sendRequest({ port, path: '/healthz' })).status).toBe(200);
    for (const one of attack) one[Symbol.dispose]();
  });

  test('do not keep out who shows the token from the same address', async context => {
    if (ownAddress === undefined) return context.skip('this machine has no address but loopback');
    await using served = await serveCluster({ host: '0.0.0.0' });
    const address = { host: ownAddress, port: served.port };
    const attack = Array.from({ length: 100 }, () => connect(address).on('error', () => undefined));
    using owner = rawConnection(address);
    const [[name = '', value = ''] = []] = Object.entries(bearer(TOKEN));
    owner.send(`GET /api/daemon HTTP/1.1\r\nHost: localhost\r\n${name}: ${value}\r\n\r\n`);
    expect((await owner.until(bytes => bytes.length > 20)).toString()).toMatch(/^HTTP\/1\.1 200 OK/);
    for (const socket of attack) socket.destroy();
  });
});

const { connectionsMax, connectionsKept, connectionsOfAddressMax } = HTTP_LIMITS;
const STRANGERS_MAX = connectionsMax - connectionsKept;

describe('places for connections', () => {
  test('belong to who has shown the token on them, and never give way', () => {
    const { slots, closed } = slotsUnderTest();
    const owner = from('127.0.0.1');
    slots.enter(owner);
    slots.prove(owner);
    for (let count = 0; count < 5_000; count += 1) slots.enter(from('127.0.0.1'));
    expect(closed).not.toContain(owner);
    expect(closed).toHaveLength(5_000 - STRANGERS_MAX);
  });

  test('of loopback are no others than those of any address', () => {
    const { slots, open } = slotsUnderTest();
    for (let count = 0; count < 1_000; count += 1) slots.enter(from('127.0.0.1'));
    expect(open.size).toBe(STRANGERS_MAX);
  });

  test('that wait for a request go to new ones, the one that waits longest first', () => {
    const { slots, closed } = slotsUnderTest();
    const [first, second, ...rest] = Array.from({ length: STRANGERS_MAX }, () => from('127.0.0.1'));
    for (const socket of [first, second, ...rest]) if (socket !== undefined) slots.enter(socket);
    const response = responseOf();
    if (first !== undefined) slots.serve(first, response);
    expect(slots.enter(from('127.0.0.1'))).toEqual({ kind: 'taken' });
    expect(closed).toEqual([second]);
    // Its reply is over: it waits again, behind all others.
    response.emit('close');
    expect(slots.enter(from('127.0.0.1'))).toEqual({ kind: 'taken' });
    expect(closed).toEqual([second, rest[0]]);
  });

  test('are refused only while every one of them is in use', () => {
    const { slots } = slotsUnderTest();
    for (let count = 0; count < STRANGERS_MAX; count += 1) {
      const socket = from('127.0.0.1');
      slots.enter(socket);
      slots.serve(socket, responseOf());
    }
    expect(slots.enter(from('127.0.0.1'))).toMatchObject({ kind: 'refused' });
  });

  test('of one address beyond loopback are limited, and its oldest idle one gives way', () => {
    const { slots, closed, open } = slotsUnderTest();
    const other = from('192.0.2.2');
    slots.enter(other);
    const sockets = Array.from({ length: connectionsOfAddressMax }, () => from('192.0.2.1'));
    for (const socket of sockets) slots.enter(socket);
    slots.enter(from('192.0.2.1'));
    expect(closed).toEqual([sockets[0]]);
    expect(open.has(other)).toBe(true);
    for (const socket of sockets.slice(1)) slots.serve(socket, responseOf());
    const last = from('192.0.2.1');
    slots.enter(last);
    slots.serve(last, responseOf());
    expect(slots.enter(from('192.0.2.1'))).toMatchObject({ kind: 'refused' });
    last.emit('close');
    expect(slots.enter(from('192.0.2.1'))).toEqual({ kind: 'taken' });
  });
});

const slotsUnderTest = () => {
  const closed: Socket[] = [];
  const open = new Set<Socket>();
  const slots = new ConnectionSlots(HTTP_LIMITS, socket => {
    closed.push(socket);
    open.delete(socket);
    socket.emit('close');
  });
  return {
    closed,
    open,
    slots: {
      enter: (socket: Socket) => {
        open.add(socket);
        return slots.enter(socket);
      },
      prove: (socket: Socket) => slots.prove(socket),
      serve: (socket: Socket, response: ServerResponse) => slots.serve(socket, response),
    },
  };
};

/** A socket with this remote address. */
const from = (address: string): Socket =>
  Object.defineProperty(new Socket(), 'remoteAddress', { value: address });

const responseOf = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));
