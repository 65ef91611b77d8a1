// What a connection of the load can rely on, whichever adapter dials: run against real servers on loopback.

import { once } from 'node:events';
import net from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import type { DialedSocket, ReadArrival, TargetDialer } from '../../src/bench/target/http1/dialer.ts';
import type { LoadTarget } from '../../src/bench/target/load-target.ts';
import { limitedDescriptors } from '../support/limited-descriptors.ts';

interface OpenDialers extends Disposable {
  readonly dialerOf: (target: LoadTarget) => TargetDialer;
  readonly nowNs: () => number;
}

/** @param open undefined: the adapter is not available here, for the reason that it prints */
export const dialerContract = (adapter: string, open: () => Promise<OpenDialers | string>): void => {
  describe(`dialer: ${adapter}`, () => {
    const contract = (
      name: string,
      run: (dialers: OpenDialers, skip: (reason: string) => never) => Promise<void>,
    ): void =>
      test(name, async context => {
        const opened = await open();
        if (typeof opened === 'string') return context.skip(opened);
        using dialers = opened;
        await run(dialers, reason => context.skip(reason));
      });

    contract('carries bytes in both directions, and reports when they arrived', async dialers => {
      await using server = await listen(socket => socket.pipe(socket));
      const fromNs = dialers.nowNs();
      const dialed = await connected(dialers, server);
      dialed.socket.write(Buffer.from('a question'));
      await dialed.until(() => dialed.text === 'a question');
      for (const { stampNs, lateNs } of dialed.arrivals) {
        expect(stampNs).toBeGreaterThanOrEqual(fromNs);
        expect(stampNs).toBeLessThanOrEqual(dialers.nowNs());
        expect(lateNs).toBeGreaterThanOrEqual(0);
      }
      dialed.socket.destroy();
    });

    contract('reports a refused connection once, with its code', async dialers => {
      const server = await listen(() => undefined);
      await server[Symbol.asyncDispose]();
      const dialed = dial(dialers, server);
      await dialed.until(() => dialed.events.includes('close'));
      expect(dialed.events).toEqual(['error ECONNREFUSED', 'close']);
    });

    contract('reports a reset', async dialers => {
      await using server = await listen(socket => socket.once('data', () => socket.resetAndDestroy()));
      const dialed = await connected(dialers, server);
      dialed.socket.write(Buffer.from('x'));
      await dialed.until(() => dialed.events.includes('close'));
      expect(dialed.events).toEqual(['connect', 'error ECONNRESET', 'close']);
    });

    contract('passes on what came before the server closed its end', async dialers => {
      await using server = await listen(socket => socket.end('the last words'));
      const dialed = await connected(dialers, server);
      await dialed.until(() => dialed.events.includes('end'));
      expect(dialed.text).toBe('the last words');
      dialed.socket.destroy();
    });

    contract('sends the rest when a server that reads slowly has room', async dialers => {
      const bytes = Buffer.alloc(20_000_000, 'request ');
      const received = Promise.withResolvers<number>();
      await using server = await listen(socket => {
        socket.pause();
        let count = 0;
        socket.on('data', part => {
          count += part.length;
          if (count === bytes.length) received.resolve(count);
        });
        setTimeout(() => socket.resume(), 50);
      });
      const dialed = await connected(dialers, server);
      dialed.socket.write(bytes);
      expect(dialed.socket.writableLength).toBeGreaterThan(0);
      expect(await received.promise).toBe(bytes.length);
      await dialed.until(() => dialed.socket.writableLength === 0);
      dialed.socket.destroy();
    });

    contract('sends a prompt of 1 MB byte for byte', async dialers => {
      const bytes = Buffer.from(Array.from({ length: 1_048_576 }, (_, at) => (at * 7) % 251));
      const parts: Buffer[] = [];
      await using server = await listen(socket => {
        socket.on('data', part => parts.push(part));
      });
      const dialed = await connected(dialers, server);
      dialed.socket.write(bytes);
      await dialed.until(() => parts.reduce((sum, { length }) => sum + length, 0) >= bytes.length);
      expect(Buffer.concat(parts).equals(bytes)).toBe(true);
      dialed.socket.destroy();
    });

    contract('connects to an IPv6 address', async (dialers, skip) => {
      const server = await listen(() => undefined, '::1').catch(() => undefined);
      if (server === undefined) return skip('this machine has no IPv6 loopback');
      await using listening = server;
      const dialed = await connected(dialers, listening);
      dialed.socket.destroy();
    });

    contract('connects to an IPv6 address with a scope', async (dialers, skip) => {
      const scoped = Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
        addresses
          .filter(({ address }) => address.startsWith('fe80:'))
          .map(({ address }) => `${address}%${name}`),
      )[0];
      if (scoped === undefined) return skip('this machine has no link-local address');
      await using server = await listen(() => undefined, '::');
      const dialed = await connected(dialers, server, scoped);
      dialed.socket.destroy();
    });

    contract('tries each address of a name', async dialers => {
      await using server = await listen(() => undefined);
      const dialed = await connected(dialers, { ...server, host: 'localhost' });
      dialed.socket.destroy();
    });

    contract('reports a name that does not exist', async dialers => {
      const dialed = dial(dialers, { host: 'no-such-host.invalid', port: 9 });
      await dialed.until(() => dialed.events.includes('close'));
      expect(dialed.events[0]).toMatch(/^error (ENOTFOUND|EAI_AGAIN)$/);
    });

    contract('reports exhausted descriptors', async (dialers, skip) => {
      await using server = await listen(() => undefined);
      const limited = await limitedDescriptors();
      if (limited === undefined) return skip('the limit of descriptors cannot be changed here');
      const dialed = dial(dialers, server);
      await dialed.until(() => dialed.events.includes('close'));
      limited[Symbol.dispose]();
      expect(dialed.events).toEqual(['error EMFILE', 'close']);
    });

    contract('reports nothing after it was destroyed', async dialers => {
      const closed = Promise.withResolvers<void>();
      await using server = await listen(socket => {
        socket.write('early');
        socket.on('close', () => closed.resolve());
      });
      const dialed = await connected(dialers, server);
      dialed.socket.destroy();
      await closed.promise;
      expect(dialed.events.filter(event => event !== 'close')).toEqual(['connect']);
      expect(dialed.text).toBe('');
    });

    contract('can be destroyed while it connects', async dialers => {
      await using server = await listen(() => undefined);
      const dialed = dial(dialers, server);
      dialed.socket.destroy();
      const other = await connected(dialers, server);
      other.socket.destroy();
      expect(dialed.events.filter(event => event !== 'close')).toEqual([]);
    });

    contract('stops reading when the receiver destroys it', async dialers => {
      await using server = await listen(socket => socket.end(Buffer.alloc(1_000_000, 'x')));
      const dialed = dial(dialers, server);
      dialed.onBytes = () => dialed.socket.destroy();
      await dialed.until(() => dialed.arrivalCount > 0);
      const other = await connected(dialers, server);
      expect(dialed.arrivalCount).toBe(1);
      other.socket.destroy();
    });
  });
};

interface Listening {
  readonly host: string;
  readonly port: number;
}

const listen = async (
  accepted: (socket: net.Socket) => void,
  host = '127.0.0.1',
): Promise<Listening & AsyncDisposable> => {
  const sockets = new Set<net.Socket>();
  const server = net.createServer(socket => {
    sockets.add(socket);
    // The other end may cut at any time.
    socket.on('error', () => socket.destroy());
    accepted(socket);
  });
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    host,
    port: address.port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

/** A dialed connection and everything that it reported. */
class Dialed {
  readonly socket: DialedSocket;
  readonly events: string[] = [];
  readonly arrivals: ReadArrival[] = [];
  text = '';
  arrivalCount = 0;
  onBytes: () => void = () => undefined;
  #waiting: { readonly isTrue: () => boolean; readonly resolve: () => void }[] = [];

  constructor(dialer: TargetDialer, address: string | undefined) {
    this.socket = dialer.dial((bytes, start, end, arrival) => {
      this.text += bytes.toString('latin1', start, end);
      this.arrivalCount += 1;
      if (arrival !== undefined) this.arrivals.push({ ...arrival });
      this.onBytes();
      this.#check();
      return true;
    }, address);
    for (const event of ['connect', 'end', 'close'] as const)
      this.socket.once(event, () => this.#reported(event));
    this.socket.once('error', error => this.#reported(`error ${codeOf(error)}`));
  }

  /** Resolves once the condition is met: it is checked with each report and, for the other end, with each turn. */
  until(isTrue: () => boolean): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.push({ isTrue, resolve });
      const look = (): void => {
        this.#check();
        if (this.#waiting.length > 0) setImmediate(look);
      };
      look();
    });
  }

  #reported(event: string): void {
    this.events.push(event);
    this.#check();
  }

  #check(): void {
    const met = this.#waiting.filter(({ isTrue }) => isTrue());
    this.#waiting = this.#waiting.filter(each => !met.includes(each));
    for (const { resolve } of met) resolve();
  }
}

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : error.message);

const dial = ({ dialerOf }: OpenDialers, { host, port }: Listening, address?: string): Dialed =>
  new Dialed(dialerOf({ host, port, path: '/', hostHeader: `${host}:${port}`, tls: undefined }), address);

const connected = async (dialers: OpenDialers, server: Listening, address?: string): Promise<Dialed> => {
  const dialed = dial(dialers, server, address);
  await dialed.until(() => dialed.events.length > 0);
  expect(dialed.events).toEqual(['connect']);
  return dialed;
};
