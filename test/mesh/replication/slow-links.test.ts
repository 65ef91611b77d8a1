import { expect, it } from 'vitest';
import { decodeMeshMessage } from '../../../src/wire/mesh-message.ts';
import { MeshCluster } from '../../support/mesh-cluster.ts';
import { memoryFact } from '../../support/mesh-node.ts';
import type { WiredLink } from '../../support/mesh-wires.ts';

const NODES = 6;
const LATE_MS = 3_000;
const SECONDS = 120;

it('a node of a full mesh to which values come late, as on an overloaded machine, is not loaded with copies of them', async () => {
  await using cluster = new MeshCluster(NODES);
  const late = new LateLives();
  for (let a = 0; a < NODES; a += 1)
    for (let b = a + 1; b < NODES; b += 1) {
      const ends = cluster.link(a, b);
      if (b === NODES - 1) late.delay(ends, () => cluster.clock.nowMs());
    }
  let reported = 0;
  for (let passedMs = 0; passedMs < SECONDS * 1_000; passedMs += 100) {
    if (passedMs % 500 === 0)
      for (const node of cluster.nodes) {
        node.record(memoryFact(passedMs));
        reported += 1;
      }
    await cluster.clock.advance(100);
    late.deliver(cluster.clock.nowMs());
  }
  const sent = cluster.nodes.reduce((sum, { replicator }) => sum + replicator.counts.liveSent, 0);
  expect(sent / (reported * (NODES - 1))).toBeLessThan(1.25);
});

/** Holds live values back, and nothing else. */
class LateLives {
  readonly #waiting: { readonly dueMs: number; readonly frame: Uint8Array; readonly to: WiredLink }[] = [];

  delay([from, to]: readonly [WiredLink, WiredLink], nowMs: () => number): void {
    from.disturb = frames =>
      frames.filter(frame => {
        const decoded = decodeMeshMessage(frame);
        const isLive = decoded.kind === 'message' && decoded.message.kind === 'live';
        if (isLive) this.#waiting.push({ dueMs: nowMs() + LATE_MS, frame, to });
        return !isLive;
      });
  }

  deliver(nowMs: number): void {
    while ((this.#waiting[0]?.dueMs ?? Number.POSITIVE_INFINITY) <= nowMs) {
      const first = this.#waiting.shift();
      if (first !== undefined) first.to.inject(first.frame);
    }
  }
}
