import { connect, Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual-clock.ts';
import { ConnectionPlaces } from '../../../src/daemon/http/connection-places.ts';
import { HTTP_LIMITS } from '../../../src/daemon/http/http-options.ts';
import { rawConnection } from '../../support/raw-http.ts';
import { ask, bearer } from './http-exchange.ts';
import { serveCluster, TOKEN } from './served-cluster.ts';

const ownAddress = Object.values(networkInterfaces())
  .flatMap(addresses => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

describe('half requests from another machine', () => {
  test('take the places of that machine, not those of the owner on loopback, and are told why', async context => {
    if (ownAddress === undefined) return context.skip('this machine has no address but loopback');
    await using served = await serveCluster({ host: '0.0.0.0' });
    const { port } = served;
    const half = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n';
    const attack = Array.from({ length: 600 }, () => rawConnection({ host: ownAddress, port }));
    for (const one of attack) one.send(half);
    const told = await Promise.race(attack.map(one => one.until(bytes => bytes.includes('too-busy'))));
    expect(told.toString()).toMatch(/^HTTP\/1\.1 503 .*This address has 64 connections open/s);
    expect((await ask({ port, path: '/healthz' })).status).toBe(200);
    for (const one of attack) one[Symbol.dispose]();
  });

  test('do not keep out who has shown the token from the same address', async context => {
    if (ownAddress === undefined) return context.skip('this machine has no address but loopback');
    await using served = await serveCluster({ host: '0.0.0.0' });
    const place = { host: ownAddress, port: served.port };
    using owner = rawConnection(place);
    const [[name = '', value = ''] = []] = Object.entries(bearer(TOKEN));
    const request = `GET /api/daemon HTTP/1.1\r\nHost: localhost\r\n${name}: ${value}\r\n\r\n`;
    owner.send(request);
    await owner.until(bytes => bytes.includes('200 OK'));
    const attack = Array.from({ length: 100 }, () => connect(place).on('error', () => undefined));
    using again = rawConnection(place);
    again.send(request);
    expect((await again.until(bytes => bytes.length > 20)).toString()).toMatch(/^HTTP\/1\.1 200 OK/);
    for (const socket of attack) socket.destroy();
  });
});

describe('places for connections', () => {
  test('are kept for loopback and for addresses that have shown the token, until that is long ago', async () => {
    const clock = new VirtualClock();
    const places = new ConnectionPlaces(clock, HTTP_LIMITS);
    const owner = from('192.0.2.250');
    expect(places.enter(owner)).toEqual({ kind: 'taken' });
    places.prove(owner);
    let taken = 0;
    for (let host = 1; host < 50; host += 1)
      for (let count = 0; count < 40; count += 1)
        if (places.enter(from(`192.0.2.${host}`)).kind === 'taken') taken += 1;
    expect(taken).toBe(HTTP_LIMITS.connectionsMax - HTTP_LIMITS.connectionsKept);
    expect(places.enter(from('::ffff:127.0.0.1'))).toEqual({ kind: 'taken' });
    expect(places.enter(from('192.0.2.250'))).toEqual({ kind: 'taken' });
    await clock.advance(3_600_001);
    expect(places.enter(from('192.0.2.250'))).toMatchObject({ kind: 'refused' });
  });

  test('are free again when a connection ends', () => {
    const places = new ConnectionPlaces(new VirtualClock(), HTTP_LIMITS);
    const held = Array.from({ length: HTTP_LIMITS.connectionsOfAddressMax }, () => from('192.0.2.1'));
    for (const socket of held) expect(places.enter(socket).kind).toBe('taken');
    expect(places.enter(from('192.0.2.1')).kind).toBe('refused');
    held[0]?.emit('close');
    expect(places.enter(from('192.0.2.1')).kind).toBe('taken');
  });
});

/** A socket that says where it comes from. */
const from = (address: string): Socket =>
  Object.defineProperty(new Socket(), 'remoteAddress', { value: address });
