// Reports the usual results of this node's probes: soon after each of the first measurements, then once an hour, a few
// subjects per round, because each reads a week of the journal.

import type { Clock } from '../../clock/clock.ts';
import type { Fact } from '../../core/event-kinds.ts';
import { isNodeId, type NodeId } from '../../core/ids.ts';
import {
  BASELINE_WINDOW_MS,
  type ProbeBaseline,
  type ProbeSubject,
  probeKey,
} from '../../core/probe/probe-status.ts';
import { DEVICE_FIGURES, LINK_FIGURES } from '../../core/probe/unusual-figures.ts';
import type { State } from '../../core/state.ts';
import { decodeHourlySummary } from '../../journal/hourly-summary.ts';
import type { HistoryQuery, HistoryRow } from '../../journal/journal.ts';
import { recordPayload } from '../../wire/durable-record.ts';
import { nowAndEvery } from '../every.ts';

interface BaselineReportingParts {
  readonly nodeId: NodeId;
  readonly clock: Clock;
  readonly state: () => State;
  readonly record: (fact: Fact) => void;
  readonly history: (query: HistoryQuery) => readonly HistoryRow[];
}

const BASELINE_ROUND_MS = 10_000;
const BASELINE_AGAIN_MS = 3_600_000;
/** Read in one round. */
const SUBJECTS_PER_ROUND_MAX = 8;
/** Of a week: 288 a day for three days, then one an hour. */
export const ROWS_MAX = 2_000;
/** Few enough measurements that each changes what is usual. */
const FEW = 20;

interface ReportedState {
  readonly atMs: number;
  readonly count: number;
  /** Of the profile that was newest then. */
  readonly after: string;
}

export class BaselineReporting {
  readonly #parts: BaselineReportingParts;
  readonly #reported = new Map<string, ReportedState>();

  constructor(parts: BaselineReportingParts) {
    this.#parts = parts;
  }

  /** Until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    await nowAndEvery(BASELINE_ROUND_MS, () => this.look(), { clock, until: signal });
  }

  /** One round. */
  look(): void {
    const { nodeId, clock, record, history } = this.#parts;
    const subjects = [...this.#profiled()];
    const keys = new Set(subjects.map(({ key }) => key));
    for (const key of this.#reported.keys()) if (!keys.has(key)) this.#reported.delete(key);
    const due = subjects.filter(subject => this.#isDue(subject)).slice(0, SUBJECTS_PER_ROUND_MAX);
    for (const { subject, key, after } of due) {
      const baseline = baselineOf(
        subject,
        history({
          origin: nodeId,
          slot: subject.kind,
          key: subject.kind === 'gpu' ? subject.deviceId : `${subject.sink} ${subject.connectionKey}`,
          sinceWallMs: clock.wallMs() - BASELINE_WINDOW_MS,
          limit: ROWS_MAX,
        }),
      );
      this.#reported.set(key, { atMs: clock.nowMs(), count: baseline?.count ?? 0, after });
      if (baseline !== undefined) record({ kind: 'baseline.reported', payload: baseline });
    }
  }

  #isDue({ key, after }: Profiled): boolean {
    const reported = this.#reported.get(key);
    if (reported === undefined) return true;
    if (reported.after === after) return false;
    return reported.count < FEW || this.#parts.clock.nowMs() - reported.atMs >= BASELINE_AGAIN_MS;
  }

  *#profiled(): Iterable<Profiled> {
    const { nodeId, state } = this.#parts;
    const { nodeGpuProfiles, linkProfiles } = state();
    for (const [deviceId, entry] of Object.entries(nodeGpuProfiles[nodeId] ?? {}))
      yield profiledOf({ kind: 'gpu', deviceId }, entry);
    for (const [sink, profiles] of Object.entries(linkProfiles[nodeId] ?? {})) {
      if (!isNodeId(sink)) continue;
      for (const [connectionKey, entry] of Object.entries(profiles))
        yield profiledOf({ kind: 'link', sink, connectionKey }, entry);
    }
  }
}

interface Profiled {
  readonly subject: ProbeSubject;
  readonly key: string;
  readonly after: string;
}

const profiledOf = (
  subject: ProbeSubject,
  { epoch, seq }: { readonly epoch: number; readonly seq: number },
): Profiled => ({ subject, key: probeKey(subject), after: `${epoch} ${seq}` });

// The medians of the last week from a journal's rows: raw ones weigh one, hourly ones as many as they sum up. Pure.

/** Undefined where no row has a good measurement. */
const baselineOf = (
  subject: ProbeSubject,
  rows: readonly Pick<HistoryRow, 'body' | 'isHourly' | 'atWallMs'>[],
): ProbeBaseline | undefined => {
  const names = subject.kind === 'gpu' ? DEVICE_FIGURES : LINK_MEDIANS;
  const values = new Map<string, Weighted[]>(names.map(name => [name, []]));
  let count = 0;
  let [oldestMs, newestMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const row of rows) {
    const reported = row.isHourly ? addHour(values, row.body) : addProfile(values, row.body);
    if (reported === 0) continue;
    count += reported;
    oldestMs = Math.min(oldestMs, row.atWallMs);
    newestMs = Math.max(newestMs, row.atWallMs);
  }
  if (count === 0) return undefined;
  const spanMs = newestMs - oldestMs;
  const medians = [...values].flatMap(([name, weighted]) => {
    const median = weightedMedian(weighted);
    return median === undefined ? [] : [[name, median] as const];
  });
  return { subject, windowMs: BASELINE_WINDOW_MS, spanMs, count, medians: Object.fromEntries(medians) };
};

interface Weighted {
  readonly value: number;
  readonly weight: number;
}

/** @returns the number of measurements in the row */
const addHour = (values: Map<string, Weighted[]>, body: Uint8Array): number => {
  const summary = decodeHourlySummary(body);
  if (summary === undefined) return 0;
  for (const [name, list] of values) {
    const figure = Object.hasOwn(summary.figures, name) ? summary.figures[name] : undefined;
    if (figure !== undefined) list.push({ value: figure.median, weight: figure.count });
  }
  return Math.max(0, summary.count - summary.failedCount);
};

const addProfile = (values: Map<string, Weighted[]>, body: Uint8Array): number => {
  const payload = recordPayload(body);
  if (payload === undefined || payload['failure'] !== 'none') return 0;
  for (const [name, list] of values) {
    const value = payload[name];
    if (typeof value === 'number' && Number.isFinite(value)) list.push({ value, weight: 1 });
  }
  return 1;
};

const weightedMedian = (weighted: readonly Weighted[]): number | undefined => {
  const sorted = weighted.toSorted((a, b) => a.value - b.value);
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let sum = 0;
  for (const { value, weight } of sorted) {
    sum += weight;
    if (sum >= half) return value;
  }
  return undefined;
};

const LINK_MEDIANS: readonly string[] = [...LINK_FIGURES, 'roundTripNsP99', 'jitterNs'];
