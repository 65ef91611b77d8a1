// Opens connections in our own read loop: plain TCP only. Reads have the kernel's timestamps.

import { isIP } from 'node:net';
import type { ReadLoop } from '../../loop/read-loop.ts';
import type { LoadTarget } from '../load-target.ts';
import { HandshakeTimes, type ReadReceiver, RememberedNames, type TargetDialer } from './dialer.ts';
import { StampedSocket } from './stamped-socket.ts';

export class StampedDialer extends HandshakeTimes implements TargetDialer {
  readonly isTls = false;
  readonly #loop: ReadLoop;
  readonly #target: LoadTarget;
  readonly #names: RememberedNames = new RememberedNames();

  constructor(loop: ReadLoop, target: LoadTarget) {
    super();
    this.#loop = loop;
    this.#target = target;
  }

  dial(received: ReadReceiver, address?: string): StampedSocket {
    const { port, host } = this.#target;
    const socket = new StampedSocket({ loop: this.#loop, port, received });
    const dialed = address ?? host;
    if (isIP(dialed) !== 0) socket.connect([dialed]);
    else
      this.#names.lookup(dialed, { all: true }, (error, found) => {
        if (error !== null) socket.failed(error);
        else if (typeof found !== 'string') socket.connect(found.map(each => each.address));
      });
    return socket;
  }
}
