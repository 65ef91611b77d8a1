// Datagrams in memory, between ports that have addresses of their own, with paths that can be cut in one direction.
// Nothing is delivered at once: as on a wire, the sender continues first.

import type {
  DatagramAddress,
  DatagramListener,
  DatagramPort,
} from '../../src/mesh/reachability/datagram-port.ts';

export class MemoryDatagrams {
  readonly #ports = new Map<
    string,
    { readonly addresses: readonly string[]; readonly listener: DatagramListener }
  >();
  readonly #blocked = new Set<string>();
  #sentCount = 0;

  get sentCount(): number {
    return this.#sentCount;
  }

  /** @param addresses its datagrams come from the first. */
  open(addresses: readonly [string, ...string[]], port: number, listener: DatagramListener): DatagramPort {
    const [from] = addresses;
    for (const address of addresses) this.#ports.set(keyOf({ address, port }), { addresses, listener });
    return {
      port,
      send: async (bytes, to) => this.#send(bytes, { address: from, port }, to),
      sourceAddressTowards: async () => from,
      [Symbol.asyncDispose]: async () => {
        for (const address of addresses) this.#ports.delete(keyOf({ address, port }));
      },
    };
  }

  /** What is sent to that address is lost, or the system refuses it with this code. */
  block(address: string, code?: string): void {
    this.#blocked.add(code === undefined ? address : `${address} ${code}`);
  }

  unblock(address: string): void {
    for (const blocked of this.#blocked) if (blocked.split(' ')[0] === address) this.#blocked.delete(blocked);
  }

  #send(bytes: Uint8Array, from: DatagramAddress, to: DatagramAddress): void {
    this.#sentCount += 1;
    for (const blocked of this.#blocked) {
      const [address, code] = blocked.split(' ');
      if (address !== to.address) continue;
      if (code === undefined) return;
      throw Object.assign(new Error(code), { code });
    }
    const copy = Uint8Array.from(bytes);
    queueMicrotask(() => this.#ports.get(keyOf(to))?.listener(copy, from));
  }
}

const keyOf = ({ address, port }: DatagramAddress): string => `${address} ${port}`;
