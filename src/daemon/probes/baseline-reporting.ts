// Reports the usual results of this node's probes: soon after each of the first measurements, then once an hour, a few
// subjects per round, because each reads a week of the journal.

import type { Clock } from '../../clock/clock.ts';
import type { Fact } from '../../core/event-kinds.ts';
import { isNodeId, type NodeId } from '../../core/ids.ts';
import { BASELINE_WINDOW_MS } from '../../core/probe/probe-baseline.ts';
import { type ProbeSubject, probeKey } from '../../core/probe/probe-status.ts';
import type { State } from '../../core/state.ts';
import type { HistoryQuery, HistoryRow } from '../../journal/journal.ts';
import { nowAndEvery } from '../every.ts';
import { baselineOf } from './baseline.ts';

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
    for (const [sink, held] of Object.entries(linkProfiles[nodeId] ?? {})) {
      if (!isNodeId(sink)) continue;
      for (const [connectionKey, entry] of Object.entries(held))
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
