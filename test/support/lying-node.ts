// A member that sends any frame that the test gives it: it has the cluster key and its own identity, so its links are valid, and
// it follows no rule of replication.

import { generateNodeKey, type NodeKey } from '../../src/daemon/node-key.ts';
import type { MeshLink } from '../../src/mesh/mesh.ts';
import { decodeMeshMessage, encodeMeshMessage, type MeshMessage } from '../../src/wire/mesh-message.ts';
import type { VectorEntry } from '../../src/wire/version-vector.ts';

interface Lies {
  /** What it claims to hold. */
  readonly claims: () => readonly VectorEntry[];
  /** Its reply to messages; none by default. */
  readonly answer?: (message: MeshMessage, report: (message: MeshMessage) => void) => void;
}

export class LyingNode {
  readonly key: NodeKey = generateNodeKey();
  /** What it was asked for, in order. */
  readonly requested: VectorEntry[] = [];
  readonly #lies: Lies;
  readonly #links = new Set<MeshLink>();

  constructor(lies: Lies) {
    this.#lies = lies;
  }

  /** Greets, and receives the other end's messages. */
  meet(link: MeshLink): void {
    this.#links.add(link);
    link.onClose(() => this.#links.delete(link));
    const report = (message: MeshMessage): void => void link.send(encodeMeshMessage(message));
    link.onFrame(frame => {
      const decoded = decodeMeshMessage(frame);
      if (decoded.kind !== 'message') return;
      if (decoded.message.kind === 'want') this.requested.push(...decoded.message.wants);
      this.#lies.answer?.(decoded.message, report);
    });
    report({
      kind: 'hello',
      plimsollVersion: '0.0.0-liar',
      vectors: this.#lies.claims(),
      live: [],
      neighboursVersion: 0,
      neighbours: [],
    });
  }

  /** Repeats its claims to all peers. */
  claim(): void {
    const digest = { kind: 'digest', vectors: this.#lies.claims(), live: [], neighboursVersion: 0 } as const;
    for (const link of this.#links) link.send(encodeMeshMessage(digest));
  }
}
