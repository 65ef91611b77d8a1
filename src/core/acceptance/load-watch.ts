// What a cluster reached under load, over time: for each direction of a cable and each figure of a device the mean of each fortieth of
// the soak, and how long each node was loaded. Bounded however long a soak is, and continued from where it was stored.

import * as v from 'valibot';
import { maximumOf, minimumOf } from '../extremes.ts';
import { type Load, SENT_RATE } from '../probe/load.ts';
import { type ProbeSubject, probeKey } from '../probe/probe-status.ts';
import { count, figure, type Infer, list, nonNegative, openObject, reported, text } from '../schema.ts';
import { isKnown, type Reported } from '../unknown.ts';

const key = v.pipe(v.string(), v.maxLength(512));
/** Sixty-four nodes load 4,032 directions and a thousand devices. */
const SERIES_MAX = 16_384;
/** The links and the devices of each node. */
const BUSY_MAX = 128;

const slotSchema = openObject({
  /** 0 to `LOAD_SLOTS` - 1. */
  slot: count,
  mean: figure,
  count,
});

const hopSchema = openObject({
  source: text,
  sink: text,
  path: text,
  /** Bits per second: of it alone, in one direction. */
  alone: reported(nonNegative),
  /** Of it and the opposite direction, and nothing else. */
  bothWays: reported(nonNegative),
  /** While every node sent. */
  together: reported(nonNegative),
});

export const loadsSchema = openObject({
  /** While everything was to be loaded, ms. */
  soakedMs: nonNegative,
  /** By "links NODE" and "devices NODE", ms. */
  busyMs: v.pipe(v.record(key, nonNegative), v.maxEntries(BUSY_MAX)),
  /** Why one of these was not loaded when it was last due. */
  idle: v.pipe(v.record(key, text), v.maxEntries(BUSY_MAX)),
  /** By "NODE link SINK KEY sentBitsPerSecond". */
  series: v.pipe(v.record(key, list(slotSchema)), v.maxEntries(SERIES_MAX)),
  /** Sent and resent while loaded, by "NODE link SINK KEY"; without what is not reported. */
  sent: v.pipe(
    v.record(key, openObject({ bytes: nonNegative, retransmits: nonNegative })),
    v.maxEntries(SERIES_MAX),
  ),
  /** Rounds in which every node sent at once. */
  rounds: list(list(hopSchema)),
});

export type Loads = Infer<typeof loadsSchema>;
export type LoadedHop = Loads['rounds'][number][number];
export type LoadSlot = Loads['series'][string][number];

export const NO_LOADS: Loads = { soakedMs: 0, busyMs: {}, idle: {}, series: {}, sent: {}, rounds: [] };

export const LOAD_SLOTS = 40;

export const subjectKey = (node: string, subject: ProbeSubject): string => `${node} ${probeKey(subject)}`;

export const busyKey = (kind: ProbeSubject['kind'], node: string): string =>
  `${kind === 'gpu' ? 'devices' : 'links'} ${node}`;

interface LoadsOfNode {
  readonly node: string;
  readonly loads: readonly Load[];
}

/** The loads with those of one request: all of its devices, or all of its directions. `share`: how much of the soak is over. */
export const withLoads = (before: Loads, share: number, { node, loads }: LoadsOfNode): Loads => {
  const busyMs = { ...before.busyMs };
  const idle = { ...before.idle };
  const series = { ...before.series };
  const sent = { ...before.sent };
  const slot = Math.min(LOAD_SLOTS - 1, Math.floor(share * LOAD_SLOTS));
  for (const kind of ['gpu', 'link'] as const) {
    const at = busyKey(kind, node);
    const ofKind = loads.filter(({ subject }) => subject.kind === kind);
    const done = ofKind.filter(load => load.kind === 'loaded');
    if (done.length > 0) {
      // Loads of one request run at the same time.
      const fromMs = minimumOf(done.map(load => load.fromMs));
      const toMs = maximumOf(done.map(load => load.toMs));
      busyMs[at] = (busyMs[at] ?? 0) + Math.max(0, toMs - fromMs);
    }
    for (const load of ofKind) if (load.kind === 'idle') idle[at] = load.reason;
  }
  for (const load of loads) {
    if (load.kind === 'idle') continue;
    const of = subjectKey(node, load.subject);
    for (const { figure: name, value } of load.figures) {
      const at = `${of} ${name}`;
      series[at] = withValue(series[at] ?? [], slot, value);
    }
    if (isKnown(load.retransmits) && load.subject.kind === 'link') {
      const { bytes = 0, retransmits = 0 } = sent[of] ?? {};
      sent[of] = { bytes: bytes + load.bytes, retransmits: retransmits + load.retransmits };
    }
  }
  return { ...before, busyMs, idle, series, sent };
};

const withValue = (slots: readonly LoadSlot[], slot: number, value: number): readonly LoadSlot[] => {
  const last = slots.at(-1);
  if (last?.slot !== slot) return [...slots, { slot, mean: value, count: 1 }];
  const counted = last.count + 1;
  return [...slots.slice(0, -1), { slot, mean: last.mean + (value - last.mean) / counted, count: counted }];
};

/**
 * What a direction carried while all of the round sent: of its runs that began after the last of them had begun and ended before
 * the first of them ended.
 */
export const rateTogether = (load: Load, round: readonly Load[]): Reported<number> => {
  if (load.kind === 'idle') return { kind: 'unknown', reason: load.reason };
  const spans = round
    .flatMap(one => (one.kind === 'loaded' ? [runsOf(one)] : []))
    .filter(runs => runs.length > 0);
  const fromMs = maximumOf(spans.map(runs => minimumOf(runs.map(run => run.fromMs))));
  const toMs = minimumOf(spans.map(runs => maximumOf(runs.map(run => run.toMs))));
  const within = runsOf(load).filter(run => run.fromMs >= fromMs - SKEW_MS && run.toMs <= toMs + SKEW_MS);
  const ms = within.reduce((sum, run) => sum + run.toMs - run.fromMs, 0);
  return ms === 0
    ? { kind: 'unknown', reason: 'the others did not send for long enough at the same time' }
    : within.reduce((sum, run) => sum + run.value * (run.toMs - run.fromMs), 0) / ms;
};

const runsOf = (load: Extract<Load, { kind: 'loaded' }>) =>
  load.figures.filter(({ figure: name }) => name === SENT_RATE);

/** Of the times at which nodes receive one request. */
const SKEW_MS = 100;
