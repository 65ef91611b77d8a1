// A network in memory: transports that reach each other by name, over cables that a test or the demo cuts,
// heals, blocks or delays in one direction. Like TCP over a pulled cable, a cut loses nothing and is not
// reported: frames wait until it is healed or the link is given up.

import { type CableWay, MemoryLinkPipe } from '../../channel/memory-pipe.ts';
import { type Clock, unlessAborted, untilAborted } from '../../clock/clock.ts';
import { nodeIdOf } from '../../wire/node-signature.ts';
import { LinkedTransport } from '../link/linked-transport.ts';
import type { AcceptEvents, Connector, DialOutcome, PeerHello } from '../link/pipe.ts';
import {
  MESH_LIMITS,
  type MeshCandidate,
  MeshError,
  type MeshIdentity,
  type MeshLimits,
  type MeshTransport,
  type RefusalMeaning,
} from '../mesh.ts';

interface MemoryNodeOptions {
  /** Its address on this network; unique. */
  readonly name: string;
  readonly identity: MeshIdentity;
  /** The start number of the daemon. */
  readonly start: number;
  readonly limits?: Partial<MeshLimits>;
  /** Default: no jitter. */
  readonly random?: () => number;
}

export class MemoryNetwork {
  readonly #clock: Clock;
  readonly #hosts = new Map<string, MemoryHost>();
  /** "a b": what a sends does not reach b. */
  readonly #blocked = new Set<string>();
  /** "a b": how long what a sends to b takes, ms; not in it: nothing. */
  readonly #delays = new Map<string, number>();
  #instances = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A transport on this network, which its owner starts. The name is free again once it has ended. */
  transport({ name, identity, start, limits, random }: MemoryNodeOptions): MeshTransport {
    this.#instances += 1;
    const hello: PeerHello = {
      nodeId: nodeIdOf(identity.publicKey),
      publicKey: identity.publicKey,
      start,
      instance: `memory ${this.#instances}`,
    };
    return new LinkedTransport({
      localId: hello.nodeId,
      instance: hello.instance,
      clock: this.#clock,
      limits: { ...MESH_LIMITS, ...limits },
      random: random ?? (() => 1),
      connector: new MemoryConnector(this, new MemoryHost(name, hello)),
    });
  }

  /** Gives `dialler` the address of `listener` as a static candidate. */
  connect(dialler: MeshTransport, listener: MeshTransport): void {
    dialler.addCandidate({ address: nameOf(listener), port: MEMORY_PORT, source: 'static' });
  }

  cut(one: MeshTransport, other: MeshTransport): void {
    this.block(one, other);
    this.block(other, one);
  }

  heal(one: MeshTransport, other: MeshTransport): void {
    this.unblock(one, other);
    this.unblock(other, one);
  }

  /** Blocks everything from `source` to `sink` from now on. */
  block(source: MeshTransport, sink: MeshTransport): void {
    this.#blocked.add(`${nameOf(source)} ${nameOf(sink)}`);
  }

  unblock(source: MeshTransport, sink: MeshTransport): void {
    this.#blocked.delete(`${nameOf(source)} ${nameOf(sink)}`);
    for (const pipe of this.#hosts.get(nameOf(source))?.pipes ?? []) pipe.flow();
  }

  /** Delays everything from `source` to `sink` from now on. The order is kept. */
  delay(source: MeshTransport, sink: MeshTransport, ms: number): void {
    const pair = `${nameOf(source)} ${nameOf(sink)}`;
    if (ms > 0) this.#delays.set(pair, ms);
    else this.#delays.delete(pair);
  }

  /** The process behind it dies without closing its links; its owner disposes of what it runs. */
  crash(transport: MeshTransport): void {
    const host = this.#hosts.get(nameOf(transport));
    if (host === undefined) return;
    this.#hosts.delete(host.name);
    for (const pipe of [...host.pipes]) pipe.breakOff();
  }

  /** The machine behind it loses power: it never sends anything again. */
  vanish(transport: MeshTransport): void {
    const host = this.#hosts.get(nameOf(transport));
    if (host === undefined) return;
    this.#hosts.delete(host.name);
    for (const pipe of [...host.pipes]) pipe.vanish();
  }

  /** Pipes with at least one end left. */
  get openPipeCount(): number {
    let count = 0;
    for (const host of this.#hosts.values()) count += host.pipes.size;
    return count;
  }

  /** @internal */
  host(name: string): MemoryHost | undefined {
    return this.#hosts.get(name);
  }

  /** @internal */
  open(host: MemoryHost): void {
    if (this.#hosts.has(host.name))
      throw new MeshError({
        code: 'address-in-use',
        problem: `there is already a node ${host.name} on this network`,
        advice: '',
      });
    this.#hosts.set(host.name, host);
  }

  /** @internal */
  close(host: MemoryHost): void {
    if (this.#hosts.get(host.name) === host) this.#hosts.delete(host.name);
  }

  /** @internal */
  isBlocked(source: string, sink: string): boolean {
    return this.#blocked.has(`${source} ${sink}`);
  }

  /** @internal */
  openPipes(source: string, sink: string): readonly [MemoryLinkPipe, MemoryLinkPipe] {
    const way = (one: string, other: string): CableWay => ({
      isBlocked: () => this.isBlocked(one, other),
      delayMs: () => this.#delays.get(`${one} ${other}`) ?? 0,
    });
    return MemoryLinkPipe.pair(this.#clock, way(source, sink), way(sink, source));
  }
}

/** One end of the network. */
class MemoryHost {
  readonly name: string;
  readonly hello: PeerHello;
  readonly pipes: Set<MemoryLinkPipe> = new Set();
  /** Earlier dials wait for it. */
  readonly events: PromiseWithResolvers<AcceptEvents> = Promise.withResolvers<AcceptEvents>();

  constructor(name: string, hello: PeerHello) {
    this.name = name;
    this.hello = hello;
  }
}

class MemoryConnector implements Connector {
  readonly #network: MemoryNetwork;
  readonly #host: MemoryHost;

  constructor(network: MemoryNetwork, host: MemoryHost) {
    this.#network = network;
    this.#host = host;
  }

  get listensOn(): { readonly host: string; readonly port: number } {
    return { host: this.#host.name, port: MEMORY_PORT };
  }

  async listen(): Promise<void> {
    this.#network.open(this.#host);
  }

  accept(events: AcceptEvents): void {
    this.#host.events.resolve(events);
  }

  async dial(candidate: MeshCandidate, signal: AbortSignal): Promise<DialOutcome> {
    const here = this.#host;
    const sink = candidate.address;
    // A dial over a cut cable gets no reply until its timeout.
    if (this.#network.isBlocked(here.name, sink) || this.#network.isBlocked(sink, here.name)) {
      await untilAborted(signal);
      signal.throwIfAborted();
    }
    const there = this.#network.host(sink);
    if (there === undefined)
      return refusedDial(candidate, {
        reason: 'unreachable',
        cause: 'nothing-listens',
        detail: 'nothing listens there',
      });
    const events = await unlessAborted(there.events.promise, signal);
    signal.throwIfAborted();
    const [near, far] = this.#network.openPipes(here.name, sink);
    for (const [host, pipe] of [
      [here, near],
      [there, far],
    ] as const) {
      host.pipes.add(pipe);
      pipe.onGone(() => host.pipes.delete(pipe));
    }
    events?.accepted({
      pipe: far,
      peer: here.hello,
      remoteAddress: { host: here.name, port: MEMORY_PORT },
      isInitiator: false,
      keyId: '',
    });
    const remoteAddress = { host: sink, port: MEMORY_PORT };
    const handshake = { pipe: near, peer: there.hello, remoteAddress, isInitiator: true, keyId: '' };
    return { kind: 'handshake', handshake };
  }

  acceptsKey(): boolean {
    return true;
  }

  async close(): Promise<void> {
    this.#network.close(this.#host);
  }
}

const nameOf = (transport: MeshTransport): string => transport.listensOn?.host ?? '';

const refusedDial = (candidate: MeshCandidate, meaning: RefusalMeaning): DialOutcome => {
  const address = { host: candidate.address, port: candidate.port };
  return { kind: 'refused', refusal: { ...meaning, direction: 'dialled', address } };
};

const MEMORY_PORT = 4_181;
