// A node of a version that does not exist yet, in a mesh of real ones: it sends signed and numbered events of kinds unknown to
// all of them.

import { systemClock } from '../../src/clock/system-clock.ts';
import type { HostPort } from '../../src/core/address/host-port.ts';
import type { NodeId } from '../../src/core/ids.ts';
import { generateNodeKey, type NodeKey } from '../../src/daemon/node-key.ts';
import { createMemoryDisk } from '../../src/journal/memory-journal.ts';
import type { ClusterKey } from '../../src/mesh/key/cluster-key.ts';
import { TlsMesh } from '../../src/mesh/tls/tls-mesh.ts';
import { encodeMeshMessage } from '../../src/wire/mesh-message.ts';
import { MeshNode } from './mesh-node.ts';

interface AgentReply {
  readonly kind: string;
  readonly key: string;
  readonly payload: unknown;
  readonly version?: unknown;
  /** JSON in place of the text NESTED: what JSON.stringify could not write. */
  readonly nested?: string;
}

export class FutureNode implements AsyncDisposable {
  readonly #key: NodeKey;
  readonly #mesh: TlsMesh;
  readonly #node: MeshNode;
  readonly #stop = new AbortController();
  /** Why links ended, if any did. */
  readonly closes: string[] = [];
  #liveSeq = 1_000;

  private constructor(key: NodeKey, mesh: TlsMesh) {
    this.#key = key;
    this.#mesh = mesh;
    mesh.onLink(link => link.onClose(({ reason, detail }) => this.closes.push(`${reason}: ${detail}`)));
    this.#node = new MeshNode({ clock: systemClock, key, disk: createMemoryDisk(), mesh });
  }

  /** Resolves once it is linked and both ends have sent their hello. */
  static async join(clusterKey: ClusterKey, peer: HostPort): Promise<FutureNode> {
    const key = generateNodeKey();
    const mesh = new TlsMesh({
      identity: key,
      start: 1,
      keys: [clusterKey],
      listen: { host: '127.0.0.1', port: 0 },
      clock: systemClock,
      random: Math.random,
    });
    const node = new FutureNode(key, mesh);
    const met = new Promise<void>(resolve => {
      mesh.onLink(link => void link.onFrame(() => resolve()));
    });
    await mesh.start(node.#stop.signal);
    mesh.addCandidate({ address: peer.host, port: peer.port, source: 'static' });
    await met;
    return node;
  }

  get id(): NodeId {
    return this.#key.nodeId;
  }

  get linkCount(): number {
    return this.#mesh.links.size;
  }

  reportDurable(reported: AgentReply): void {
    const { kind, key } = reported;
    const { journal, cluster } = this.#node;
    const seq = (journal.origin(this.id)?.through ?? 0) + 1;
    const position = { origin: this.id, epoch: journal.ownEpoch, seq };
    const body = this.#body(position, reported);
    journal.append([{ ...position, kind, key, body, signature: this.#key.sign(body), ageMs: 0 }]);
    // The kind does not matter here: the event only announces a new record in the journal.
    const head = { ...position, class: 'durable', key, ageMs: 0, receivedAtMs: systemClock.nowMs() } as const;
    cluster.dispatch([{ ...head, kind: 'unknown', unknownKind: kind }]);
  }

  reportLive(reported: AgentReply): void {
    this.#liveSeq += 1;
    const { startNumber } = this.#node.journal;
    const body = this.#body({ origin: this.id, epoch: startNumber, seq: this.#liveSeq }, reported);
    const proof = Buffer.concat([this.#key.publicKey, this.#key.sign(body)]);
    const frame = encodeMeshMessage({ kind: 'live', entries: [{ ageMs: 0, body, proof }] });
    for (const link of this.#mesh.links.values()) link.send(frame);
  }

  /** Any frame, to everybody who is linked. */
  send(frame: Uint8Array): void {
    for (const link of this.#mesh.links.values()) link.send(frame);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#node.stop();
    this.#stop.abort();
    await this.#mesh[Symbol.asyncDispose]();
  }

  #body(
    position: { readonly origin: NodeId; readonly epoch: number; readonly seq: number },
    { nested = '""', ...reported }: AgentReply,
  ) {
    const text = JSON.stringify({ version: 1, ...position, ...reported });
    return Buffer.from(
      text.replace('"NESTED"', () => nested),
      'utf8',
    );
  }
}
