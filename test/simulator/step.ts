// What happens to a simulated cluster, as data: a plan is made from a seed, can be kept in a file, and can be made smaller.

import { seededRandom } from '../../src/core/random.ts';

type Happening =
  /** The process dies: peers see a reset. `turns`: of the event loop, before which it still works. */
  | { readonly kind: 'crash'; readonly node: number; readonly turns: number }
  /** The machine loses power: no node is notified. */
  | { readonly kind: 'power-loss'; readonly node: number; readonly turns: number }
  | { readonly kind: 'start'; readonly node: number }
  /** In both directions. */
  | { readonly kind: 'cut'; readonly node: number; readonly other: number }
  /** What `node` sends does not reach `other`; the other way works. */
  | { readonly kind: 'block'; readonly node: number; readonly other: number }
  /** What `node` sends takes this long to `other`, until it is changed. */
  | { readonly kind: 'delay'; readonly node: number; readonly other: number; readonly ms: number }
  | { readonly kind: 'heal'; readonly node: number; readonly other: number }
  /** A durable fact of the node. */
  | { readonly kind: 'open'; readonly node: number; readonly name: number }
  | { readonly kind: 'close'; readonly node: number; readonly name: number }
  | { readonly kind: 'copy-home'; readonly node: number }
  /** The node dies and comes back with the last copy of its home. */
  | { readonly kind: 'restore-home'; readonly node: number }
  | { readonly kind: 'disk-full'; readonly node: number }
  | { readonly kind: 'disk-room'; readonly node: number }
  | { readonly kind: 'compact'; readonly node: number }
  /** The wall clock of the node jumps. */
  | { readonly kind: 'clock-jump'; readonly node: number; readonly ms: number }
  /** A benchmark loads the node for so long. */
  | { readonly kind: 'load'; readonly node: number; readonly ms: number };

/** `afterMs`: of virtual time behind the step before. */
export type Step = Happening & { readonly afterMs: number };

export interface Plan {
  readonly seed: number;
  readonly nodes: number;
  readonly steps: readonly Step[];
}

/** A plan of `durationMs` of virtual time: something every 10 s in the mean. */
export const planOf = (seed: number, { nodes, durationMs }: { nodes: number; durationMs: number }): Plan => {
  const random = seededRandom(seed);
  const steps: Step[] = [];
  let atMs = 0;
  for (;;) {
    const afterMs = Math.floor(-Math.log(1 - random.next()) * GAP_MS);
    atMs += afterMs;
    if (atMs > durationMs) return { seed, nodes, steps };
    steps.push({ ...happening(random.below, nodes), afterMs });
  }
};

const happening = (below: (bound: number) => number, nodes: number): Happening => {
  const node = below(nodes);
  const other = (node + 1 + below(nodes - 1)) % nodes;
  const kind = KINDS[below(KINDS.length)] ?? 'start';
  switch (kind) {
    case 'crash':
    case 'power-loss':
      return { kind, node, turns: below(8) };
    case 'cut':
    case 'block':
    case 'heal':
      return { kind, node, other };
    case 'delay':
      return { kind, node, other, ms: below(3) === 0 ? 0 : 1 + below(DELAY_MS_MAX) };
    case 'open':
    case 'close':
      return { kind, node, name: below(6) };
    case 'clock-jump':
      return { kind, node, ms: (below(2) === 0 ? -1 : 1) * 10 ** (2 + below(7)) };
    case 'load':
      return { kind, node, ms: 5_000 + below(60_000) };
    default:
      return { kind, node };
  }
};

/** Each as often as it is listed. What ends a failure is as frequent as what starts it. */
const KINDS: readonly Happening['kind'][] = [
  ...(['crash', 'power-loss', 'start', 'start', 'start', 'start'] as const),
  ...(['cut', 'block', 'delay', 'heal', 'heal', 'heal'] as const),
  ...(['open', 'open', 'open', 'close', 'close'] as const),
  ...(['copy-home', 'restore-home'] as const),
  ...(['disk-full', 'disk-room', 'disk-room', 'compact'] as const),
  ...(['clock-jump', 'load'] as const),
];

const GAP_MS = 10_000;
/** As over a satellite, or through a queue that is far too long. */
export const DELAY_MS_MAX = 1_500;
