// What goes wrong in a simulated run, as data: made from a seed, kept in a file, and made fewer when a run breaks.

import { type SeededRandom, seededRandom } from '../../../src/core/random.ts';

const REPLY_FAULTS = [
  /** RST behind so many bytes. */
  'reset',
  /** FIN behind so many bytes. */
  'end',
  /** Nothing behind so many bytes. */
  'stall',
  /** Whole, and very slowly. */
  'slow',
  /** Whole, and the connection closes a little later. */
  'closes',
  /** An error status. */
  'refused',
  /** Bytes that are no HTTP. */
  'garbage',
] as const;

export type RunFault =
  /** Of the n-th request that reaches the server; `part` of its reply, from 0 to 1. */
  | {
      readonly kind: 'reply';
      readonly request: number;
      readonly how: (typeof REPLY_FAULTS)[number];
      readonly part: number;
    }
  /** The n-th connection is refused. */
  | { readonly kind: 'refuse'; readonly connection: number }
  /** The parse thread lives and does not come to its ring. */
  | { readonly kind: 'parse-behind'; readonly atMs: number; readonly forMs: number }
  | {
      readonly kind: 'thread-dies' | 'thread-hangs';
      readonly part: 'load' | 'parse';
      readonly thread: number;
      readonly atMs: number;
    }
  /** A load thread does not run for a while: a signal, a busy machine. */
  | { readonly kind: 'thread-stops'; readonly thread: number; readonly atMs: number; readonly forMs: number }
  | { readonly kind: 'batch-lost' | 'batch-repeated' | 'batch-late'; readonly batch: number }
  | { readonly kind: 'aggregator-dies'; readonly atMs: number }
  /** samples.jsonl takes half of what it is given, then nothing; final_snapshot.json cannot be written. */
  | { readonly kind: 'disk-full'; readonly atMs: number }
  /** The final snapshot does not come by message. */
  | { readonly kind: 'final-message-lost' }
  /** The wall clock of the machine, by NTP or a person. */
  | { readonly kind: 'clock-jumps'; readonly atMs: number; readonly byMs: number }
  /** Ctrl-C. */
  | { readonly kind: 'stop'; readonly atMs: number }
  /** The main process, with all its threads. */
  | { readonly kind: 'killed'; readonly atMs: number };

export interface SimulatedRunPlan {
  readonly seed: number;
  readonly requests: number;
  readonly threads: { readonly load: number; readonly parse: number };
  readonly concurrency: number;
  /** Requests a second in open loop; undefined: closed loop. */
  readonly rate: number | undefined;
  readonly isStreaming: boolean;
  readonly warmup: number;
  readonly ringBytes: number;
  readonly faults: readonly RunFault[];
}

export const runPlanOf = (seed: number): SimulatedRunPlan => {
  const { next, below } = seededRandom(seed);
  const requests = 6 + below(24);
  const count = below(5);
  return {
    seed,
    requests,
    threads: { load: 1 + below(2), parse: 1 },
    concurrency: 1 + below(6),
    rate: below(3) === 0 ? 40 + below(200) : undefined,
    isStreaming: below(4) > 0,
    warmup: below(3) === 0 ? 1 + below(4) : 0,
    ringBytes: below(6) === 0 ? 4_096 : 65_536,
    faults: [
      ...Array.from({ length: count }, () => fault({ next, below }, requests)),
      ...clockJumps(seededRandom(seed + BESIDE)),
    ],
  };
};

/** Of numbers of their own: what came before keeps its seeds. */
const clockJumps = ({ below }: SeededRandom): readonly RunFault[] =>
  Array.from({ length: Math.max(0, below(4) - 2) }, () => ({
    kind: 'clock-jumps',
    atMs: below(400),
    byMs: (below(2) === 0 ? 1 : -1) * (1 + below(JUMP_MS_MAX)),
  }));

/** What a run must come through without losing, cutting off or distrusting anything. */
export const isHarmless = ({ kind }: RunFault): boolean => HARMLESS.includes(kind);

const fault = (
  { next, below }: { readonly next: () => number; readonly below: (bound: number) => number },
  requests: number,
): RunFault => {
  const atMs = below(400);
  const batch = below(20);
  switch (below(20)) {
    case 0:
      return { kind: 'refuse', connection: below(8) };
    case 1:
      return { kind: 'parse-behind', atMs, forMs: 50 + below(400) };
    case 2:
      return {
        kind: below(2) === 0 ? 'thread-dies' : 'thread-hangs',
        part: below(3) === 0 ? 'parse' : 'load',
        thread: below(2),
        atMs,
      };
    case 3:
      return { kind: 'thread-stops', thread: below(2), atMs, forMs: 10 + below(300) };
    case 4:
      return { kind: 'batch-lost', batch };
    case 5:
    case 6:
      return { kind: 'batch-repeated', batch };
    case 7:
      return { kind: 'batch-late', batch };
    case 8:
      return { kind: 'aggregator-dies', atMs };
    case 9:
      return { kind: 'disk-full', atMs };
    case 10:
      return { kind: 'final-message-lost' };
    case 11:
      return { kind: 'stop', atMs };
    case 12:
      return { kind: 'killed', atMs };
    default: {
      const how = REPLY_FAULTS[below(REPLY_FAULTS.length)] ?? 'reset';
      return { kind: 'reply', request: below(requests), how, part: next() };
    }
  }
};

const HARMLESS: readonly RunFault['kind'][] = [
  ...(['reply', 'refuse', 'batch-repeated', 'batch-late', 'clock-jumps', 'final-message-lost'] as const),
];
const BESIDE = 1_000_003;
/** Eleven days. */
const JUMP_MS_MAX = 1e9;
