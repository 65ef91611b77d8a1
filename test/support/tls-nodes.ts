// Nodes over TLS on loopback for one test, stopped together.

import type { Server } from 'node:net';
import { systemClock } from '../../src/clock/system-clock.ts';
import { generateNodeKey, type NodeKey } from '../../src/daemon/node-key.ts';
import { type ClusterKey, makeClusterKey } from '../../src/mesh/key/cluster-key.ts';
import type { MeshLimits, RefusalReason } from '../../src/mesh/mesh.ts';
import type { JoinCredentials } from '../../src/mesh/tls/join-code-service.ts';
import { TlsMesh } from '../../src/mesh/tls/tls-mesh.ts';
import { type SeenNode, seenNode } from './seen-node.ts';

export interface TlsNodeOptions {
  readonly keys?: readonly ClusterKey[];
  readonly version?: number;
  readonly limits?: Partial<MeshLimits>;
  readonly host?: string;
  readonly identity?: NodeKey;
  readonly joinCredentials?: JoinCredentials;
}

export type TlsNode = SeenNode & { readonly mesh: TlsMesh };

export class TlsNodes implements AsyncDisposable {
  readonly key: ClusterKey = makeClusterKey();
  readonly #nodes: SeenNode[] = [];

  /** Started; it tries again soon and has no limits unless given. */
  async node(options: TlsNodeOptions = {}): Promise<TlsNode> {
    const {
      keys = [this.key],
      version,
      limits,
      host = '127.0.0.1',
      identity = generateNodeKey(),
      joinCredentials,
    } = options;
    const mesh = new TlsMesh({
      identity,
      start: 1,
      keys,
      listen: { host, port: 0 },
      clock: systemClock,
      random: Math.random,
      limits: { ...UNBOUNDED, ...limits },
      ...(version === undefined ? {} : { version }),
      ...(joinCredentials === undefined ? {} : { joinCredentials }),
    });
    const seen = { ...seenNode(mesh, () => new Promise(() => undefined)), mesh };
    this.#nodes.push(seen);
    await seen.start();
    return seen;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of this.#nodes) await node[Symbol.asyncDispose]();
  }
}

export const portOf = ({ transport }: SeenNode): number => transport.listensOn?.port ?? 0;

export const dial = (one: SeenNode, port: number, address = '127.0.0.1'): void =>
  one.transport.addCandidate({ address, port, source: 'static' });

export const hasReceived = (one: SeenNode, reason: RefusalReason): boolean =>
  one.refusals.some(refusal => refusal.reason === reason);

/** @returns the port. */
export const listenOn = (server: Server): Promise<number> =>
  new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });

const UNBOUNDED: Partial<MeshLimits> = {
  backoffMsMin: 20,
  backoffMsMax: 100,
  acceptBurst: 1_000_000,
  handshakesPerAddressMax: 32,
  // Of a machine that does other things as well: only tests of the limit itself come near it.
  handshakeMs: 20_000,
};
