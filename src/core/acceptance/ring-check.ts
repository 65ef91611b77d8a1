// What an all-reduce over all nodes takes as a ring, built up from the times of its pairs: each of 2 (N − 1) steps waits for the slowest
// hop. What slows it down is found by leaving one out: the node without which the ring is fastest, or the cable, if both of its ends
// are equally to blame.

import { formatNanoseconds } from '../figure/duration.ts';
import { figureText } from '../figure/figure.ts';
import { isKnown, isUnknown } from '../unknown.ts';
import { ringOrder } from '../wiring/node-order.ts';
import type { AcceptanceCheck } from './acceptance-check.ts';
import type { AcceptedPath } from './accepted-path.ts';
import { type ExchangePair, exchangePairs } from './exchange-pairs.ts';
import { judgedBy, judgedFigure, medianOf, planLimit, undecided } from './limit.ts';

interface Hop {
  readonly path: AcceptedPath;
  readonly timeNs: number;
}

interface Ring {
  readonly order: readonly string[];
  /** That every step waits for. */
  readonly slowest: Hop;
}

export const ringOver: AcceptanceCheck['judge'] = (sources, planned) => {
  const pairs = exchangePairs(sources, 'allReduceNs1Mib');
  const nodes = sources.nodes.filter(({ presence }) => presence !== 'offline').map(({ name }) => name);
  if (nodes.length < 3) return [];
  const hops = hopsOf(pairs);
  const ring = fastestRing(nodes, hops);
  const subject = { subject: `ring of ${nodes.length}`, nodes };
  if (ring === undefined) return [undecided(subject, unclosed(nodes, pairs))];
  const value = steps(nodes) * ring.slowest.timeNs;
  const found = slowPart(nodes, ring, hops);
  if (planned !== undefined)
    return [judgedFigure({ ...subject, value, side: 'max', limits: planLimit(planned), without: '' })];
  const order = ring.order.join(' – ');
  if (found === undefined)
    return [
      judgedBy(subject, 'pass', {
        value,
        reason: `${order}; the slowest hop is ${hopText(ring.slowest)}, and no one node or cable slows the others down`,
      }),
    ];
  const { part, of, timeNs } = found;
  const isSlow = isSlowOfItsKind(ring.slowest, of, hops);
  return [
    judgedBy({ subject: subject.subject, nodes: of }, isSlow ? 'fail' : 'pass', {
      value,
      ...(isSlow ? { limit: steps(nodes) * timeNs } : {}),
      reason: `slowed down by ${part}: each step waits for ${hopText(ring.slowest)}, and takes ${time(timeNs)} without it${isSlow ? '' : '; nothing comparable is faster'}`,
    }),
  ];
};

const steps = (nodes: readonly string[]): number => 2 * (nodes.length - 1);

type Hops = ReadonlyMap<string, Hop>;

const hopKey = (a: string, b: string): string => JSON.stringify([a, b].sort());

const hopsOf = (pairs: readonly ExchangePair[]): Hops =>
  new Map(
    pairs.flatMap(({ path, timeNs }) => {
      const [one, other] = path.nodes;
      return isUnknown(timeNs) || one === undefined || other === undefined
        ? []
        : [[hopKey(one, other), { path, timeNs }] as const];
    }),
  );

/** Undefined if two neighbours have no time. Of two nodes it is their pair. */
const fastestRing = (nodes: readonly string[], hops: Hops): Ring | undefined => {
  const rate = (a: string, b: string): number => {
    const hop = hops.get(hopKey(a, b));
    return hop === undefined ? 0 : 1 / hop.timeNs;
  };
  const order = ringOrder(nodes, rate);
  const around = order.map((from, at) => hops.get(hopKey(from, order[(at + 1) % order.length] ?? from)));
  const known = around.filter(hop => hop !== undefined);
  const [slowest] = known.toSorted((a, b) => b.timeNs - a.timeNs);
  return slowest === undefined || known.length < around.length ? undefined : { order, slowest };
};

interface SlowPart {
  /** "r2", "the cable between r1 and r2" */
  readonly part: string;
  readonly of: readonly string[];
  /** Of the slowest hop without it. */
  readonly timeNs: number;
}

const slowPart = (nodes: readonly string[], { slowest }: Ring, hops: Hops): SlowPart | undefined => {
  const without = nodes
    .flatMap(node => {
      const rest = fastestRing(
        nodes.filter(other => other !== node),
        hops,
      );
      return rest === undefined ? [] : { node, timeNs: rest.slowest.timeNs };
    })
    .toSorted((a, b) => a.timeNs - b.timeNs);
  const [first, second] = without;
  if (first === undefined || slowest.timeNs < SLOWED * first.timeNs) return undefined;
  const isCable =
    second !== undefined &&
    second.timeNs < EQUAL_WITHIN * first.timeNs &&
    [first, second].every(({ node }) => slowest.path.nodes.includes(node));
  return isCable
    ? {
        part: `the cable between ${slowest.path.nodes.join(' and ')}`,
        of: slowest.path.nodes,
        timeNs: first.timeNs,
      }
    : { part: first.node, of: [first.node], timeNs: first.timeNs };
};

/** A port of 1 Gb/s among those of 10 Gb/s slows a ring down, and is as it should be. */
const isSlowOfItsKind = (slowest: Hop, part: readonly string[], hops: Hops): boolean => {
  const others = [...hops.values()].filter(
    ({ path }) =>
      path.sort === slowest.path.sort &&
      (part.length > 1 ? path !== slowest.path : !path.nodes.some(node => part.includes(node))),
  );
  return others.length > 0 && slowest.timeNs >= SLOWED * medianOf(others.map(({ timeNs }) => timeNs));
};

const unclosed = (nodes: readonly string[], pairs: readonly ExchangePair[]): string => {
  const [missing] = pairs.flatMap(({ path, timeNs }) =>
    isKnown(timeNs) ? [] : `${path.nodes.join(' and ')}: ${timeNs.reason}`,
  );
  return missing ?? `no ring of measured links joins all ${nodes.length} nodes`;
};

const hopText = ({ path, timeNs }: Hop): string => `${path.nodes.join(' and ')} (${time(timeNs)})`;
const time = (ns: number): string => figureText(formatNanoseconds(ns));

/** As for a node among its pairs. */
const SLOWED = 1.4;
const EQUAL_WITHIN = 1.2;
