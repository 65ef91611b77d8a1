// What every port of datagrams must do, over any transport.

import { describe, expect, it } from 'vitest';
import type {
  DatagramAddress,
  DatagramListener,
  DatagramPort,
} from '../../src/mesh/reachability/datagram-port.ts';

interface DatagramHost {
  /** An address at which its ports are reached. */
  readonly address: string;
  open(listener: DatagramListener): Promise<DatagramPort>;
}

export const datagramPortContract = (name: string, host: () => DatagramHost): void => {
  describe(`a port of datagrams over ${name}`, () => {
    it('brings what was sent, whole, with where an answer is to go', async () => {
      const { address, open } = host();
      const inbox = new Inbox();
      const answers = new Inbox();
      await using one = await open(answers.take);
      await using other = await open(inbox.take);
      await one.send(Buffer.from('question'), { address, port: other.port });
      const { bytes, from } = await inbox.next();
      expect(Buffer.from(bytes).toString()).toBe('question');
      expect(from.port).toBe(one.port);
      await other.send(Buffer.from('answer'), from);
      expect(Buffer.from((await answers.next()).bytes).toString()).toBe('answer');
    });

    it('returns the own address towards another, and sends nothing for it', async () => {
      const { address, open } = host();
      const inbox = new Inbox();
      await using one = await open(() => undefined);
      await using other = await open(inbox.take);
      expect(await one.sourceAddressTowards({ address, port: other.port })).toBe(address);
      await one.send(Buffer.from('first'), { address, port: other.port });
      expect(Buffer.from((await inbox.next()).bytes).toString()).toBe('first');
    });

    it('sends to where nobody listens without a word', async () => {
      const { address, open } = host();
      await using one = await open(() => undefined);
      const gone = await open(() => undefined);
      const to = { address, port: gone.port };
      await gone[Symbol.asyncDispose]();
      await one.send(Buffer.from('nobody'), to);
      await one.send(Buffer.from('again'), to);
    });

    it('can be disposed of twice', async () => {
      const port = await host().open(() => undefined);
      await port[Symbol.asyncDispose]();
      await port[Symbol.asyncDispose]();
    });
  });
};

class Inbox {
  readonly #received: { readonly bytes: Uint8Array; readonly from: DatagramAddress }[] = [];
  #wake: () => void = () => undefined;

  readonly take: DatagramListener = (bytes, from) => {
    this.#received.push({ bytes, from });
    this.#wake();
  };

  async next(): Promise<{ readonly bytes: Uint8Array; readonly from: DatagramAddress }> {
    for (;;) {
      const first = this.#received.shift();
      if (first !== undefined) return first;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }
}
