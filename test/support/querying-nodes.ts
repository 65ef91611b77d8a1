// Nodes on a network in memory that send each other requests, on one virtual clock.

import type { NodeId } from '../../src/core/ids.ts';
import { generateNodeKey } from '../../src/daemon/node-key.ts';
import { MemoryNetwork } from '../../src/mesh/memory/memory-network.ts';
import type { MeshTransport } from '../../src/mesh/mesh.ts';
import { MeshRequests } from '../../src/mesh/mesh-requests.ts';
import { REQUEST_LIMITS, type RequestLimits } from '../../src/mesh/requests.ts';
import { VirtualClock } from './virtual-clock.ts';

interface QueryingNode {
  readonly id: NodeId;
  readonly transport: MeshTransport;
  readonly requests: MeshRequests;
  /** Of the requests: rejects with what a handler threw. */
  readonly running: Promise<void>;
}

export class QueryingNodes implements AsyncDisposable {
  readonly clock: VirtualClock = new VirtualClock();
  readonly network: MemoryNetwork = new MemoryNetwork(this.clock);
  readonly nodes: QueryingNode[] = [];
  readonly #stop = new AbortController();

  /** All linked to all. */
  static async start(names: readonly string[], limits: Partial<RequestLimits> = {}): Promise<QueryingNodes> {
    const all = new QueryingNodes();
    for (const name of names) {
      const identity = generateNodeKey();
      const transport = all.network.transport({ name, identity, start: 1 });
      await transport.start(all.#stop.signal);
      const requests = new MeshRequests({
        mesh: transport,
        clock: all.clock,
        limits: { ...REQUEST_LIMITS, ...limits },
      });
      const running = requests.run(all.#stop.signal);
      running.catch(() => undefined);
      for (const { transport: other } of all.nodes) all.network.connect(transport, other);
      all.nodes.push({ id: identity.nodeId, transport, requests, running });
    }
    for (let turn = 0; turn < TURNS_MAX && !all.#areLinked(); turn += 1) await all.clock.advance(50);
    if (!all.#areLinked()) throw new Error('the nodes did not meet');
    return all;
  }

  at(index: number): QueryingNode {
    const node = this.nodes[index];
    if (node === undefined) throw new Error(`there is no node ${index}`);
    return node;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.clock.advance(1_000);
    for (const { transport, running } of this.nodes) {
      await transport[Symbol.asyncDispose]();
      await running.catch(() => undefined);
    }
  }

  #areLinked(): boolean {
    return this.nodes.every(({ transport }) => transport.links.size === this.nodes.length - 1);
  }
}

const TURNS_MAX = 1_000;
