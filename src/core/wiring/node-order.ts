// The order of nodes in settings: a ring is as fast as its slowest hop, a star as its slowest link.

import { minimumOf } from '../extremes.ts';
import type { NodeView } from '../node/node-view.ts';

export type NodePair = readonly [NodeView, NodeView];

/** What a hop carries, bits a second; 0 if unknown. */
type HopRate<Node> = (from: Node, to: Node) => number;

/**
 * The ring from the first node whose slowest hop is fastest, of equal ones that with the fastest second slowest hop, and so on: of
 * all orders for up to `SEARCHED_MAX` nodes, else each node is followed by the nearest one that is left.
 */
export const ringOrder = <Node>(nodes: readonly Node[], rate: HopRate<Node>): readonly Node[] => {
  const [first, ...others] = nodes;
  if (first === undefined || others.length < 2) return nodes;
  if (nodes.length > SEARCHED_MAX) return nearestOrder(first, others, rate);
  let [best, bestRates] = [nodes, hopRates(nodes, rate)];
  for (const order of permutations(others)) {
    const ring = [first, ...order];
    const rates = hopRates(ring, rate);
    if (isFaster(rates, bestRates)) [best, bestRates] = [ring, rates];
  }
  return best;
};

/** The node whose slowest way to another one is fastest; of equal ones the first. */
export const starCentre = <Node>(nodes: readonly Node[], rate: HopRate<Node>): Node | undefined => {
  const slowestFrom = (node: Node): number =>
    minimumOf(nodes.filter(other => other !== node).map(other => rate(node, other)));
  return nodes.length < 2 ? nodes[0] : nodes.toSorted((a, b) => slowestFrom(b) - slowestFrom(a))[0];
};

/** Slowest first. */
const hopRates = <Node>(ring: readonly Node[], rate: HopRate<Node>): readonly number[] =>
  ring
    .flatMap((from, at) => {
      const to = ring[(at + 1) % ring.length];
      return to === undefined ? [] : rate(from, to);
    })
    .sort((a, b) => a - b);

const isFaster = (rates: readonly number[], others: readonly number[]): boolean => {
  const at = rates.findIndex((rate, hop) => rate !== others[hop]);
  return at !== -1 && (rates[at] ?? 0) > (others[at] ?? 0);
};

function* permutations<Node>(nodes: readonly Node[]): Generator<readonly Node[], void, void> {
  if (nodes.length === 0) {
    yield [];
    return;
  }
  for (const [at, node] of nodes.entries())
    for (const rest of permutations(nodes.toSpliced(at, 1))) yield [node, ...rest];
}

const nearestOrder = <Node>(first: Node, others: readonly Node[], rate: HopRate<Node>): readonly Node[] => {
  const order = [first];
  const left = new Set(others);
  for (let last = first; left.size > 0; ) {
    const [next] = [...left].sort((a, b) => rate(last, b) - rate(last, a));
    if (next === undefined) break;
    left.delete(next);
    order.push(next);
    last = next;
  }
  return order;
};

/** 5,040 orders. */
const SEARCHED_MAX = 8;
