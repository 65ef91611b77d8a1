// A client of a port that is not a node.

import { connect } from 'node:net';
import { seededRandom } from '../../src/core/random.ts';

/** Connects, sends this and ends its half, or sends nothing and waits; resolves when the connection is gone. */
export const talkTo = (port: number, bytes: Uint8Array | undefined, host = '127.0.0.1'): Promise<void> =>
  new Promise(resolve => {
    const socket = connect({ port, host }, () => {
      if (bytes !== undefined) socket.end(bytes);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
    socket.resume();
  });

/** Bytes of every kind, the same for the same number: noise, pieces of TLS, and TLS with a few bits changed. */
export const garbageFrom = (number: number): Uint8Array => {
  const random = seededRandom(number);
  const noise = Uint8Array.from({ length: 1 + random.below(700) }, () => random.below(256));
  switch (number % 4) {
    case 0:
      return noise;
    case 1: // a handshake record of its length
      return Buffer.concat([recordHead(noise.length), noise]);
    case 2: // a record that is longer than what follows
      return Buffer.concat([recordHead(16_384 + random.below(30_000)), noise]);
    default: // a client hello whose inside is noise
      return Buffer.concat([recordHead(noise.length + 4), clientHelloHead(noise.length), noise]);
  }
};

const recordHead = (length: number): Uint8Array => Buffer.from([22, 3, 1, (length >> 8) & 255, length & 255]);

const clientHelloHead = (length: number): Uint8Array =>
  Buffer.from([1, (length >> 16) & 255, (length >> 8) & 255, length & 255]);
