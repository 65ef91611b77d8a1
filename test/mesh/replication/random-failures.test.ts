// For any failures of nodes and links: once everything is back and linked, all nodes have the same durable
// state.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/core/random.ts';
import { createMemoryDisk } from '../../../src/journal/memory-journal.ts';
import { longCount } from '../../support/counts.ts';
import { MeshCluster, pairsOf } from '../../support/mesh-cluster.ts';

const NODES = 5;

describe('a ring of five under random failures', () => {
  // Both at once is not always noticed: docs/limits.md.
  it.each(['copied journals', 'compaction'] as const)(
    'ends with one hash on all nodes, with %s',
    async extra => {
      await fc.assert(
        fc.asyncProperty(fc.nat(), async seed => {
          await using cluster = new MeshCluster(NODES);
          const random = seededRandom(seed);
          const pairs = pairsOf('ring', NODES);
          for (const [a, b] of pairs) cluster.link(a, b);
          for (let step = 0; step < 60; step += 1) {
            await happen(cluster, random.below, extra);
            await cluster.clock.advance(random.below(2_000));
          }
          for (let index = 0; index < NODES; index += 1)
            if (!cluster.isRunning(index)) cluster.start(index).open('again');
          for (const [a, b] of pairs) if (!cluster.isLinked(a, b)) cluster.link(a, b);
          await cluster.clock.advance(30_000);
          expect(cluster.nodes.map(({ hash }) => hash)).toEqual(Array(NODES).fill(cluster.node(0).hash));
          for (const node of cluster.nodes) {
            for (const { journal, id } of cluster.nodes) {
              const at = journal.origins().find(({ origin }) => origin === id);
              expect(node.state.origins[id]?.seq ?? 0, 'no own record is lost').toBe(at?.through ?? 0);
            }
          }
        }),
        { numRuns: longCount(12, 300), seed: 4 },
      );
    },
    240_000,
  );
});

const happen = async (
  cluster: MeshCluster,
  below: (bound: number) => number,
  extra: 'copied journals' | 'compaction',
): Promise<void> => {
  const index = below(NODES);
  const next = (index + 1) % NODES;
  switch (below(10)) {
    case 0:
      if (cluster.isRunning(index)) await cluster.kill(index);
      break;
    case 1:
      if (cluster.isRunning(index)) await cluster.kill(index);
      cluster.putDisk(index, createMemoryDisk());
      break;
    case 2:
    case 3:
      // As a daemon does: an event is published at each start.
      if (!cluster.isRunning(index)) cluster.start(index).open('started');
      break;
    case 4:
      cluster.cut(index, next);
      break;
    case 5:
      if (cluster.isRunning(index) && cluster.isRunning(next) && !cluster.isLinked(index, next))
        cluster.link(index, next);
      break;
    case 6:
      if (!cluster.isRunning(index)) break;
      if (extra === 'compaction') cluster.node(index).journal.compact();
      else await comeBackFromCopy(cluster, index);
      break;
    default:
      if (cluster.isRunning(index)) {
        cluster.node(index).open(`c ${below(6)}`);
        cluster.node(index).close(`c ${below(6)}`);
        cluster.node(index).reportMemory(below(100));
      }
  }
};

/** It may write on before it meets anybody who remembers. */
const comeBackFromCopy = async (cluster: MeshCluster, index: number): Promise<void> => {
  const copy = cluster.copyDisk(index);
  cluster.node(index).open('after the copy');
  await cluster.clock.advance(1_000);
  await cluster.kill(index);
  cluster.putDisk(index, copy);
  cluster.start(index).open('started');
};
