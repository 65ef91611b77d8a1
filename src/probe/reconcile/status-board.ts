// Reports what is being measured, what waits and why, and what rests until when: once, and again only when that
// changes.

import type { Fact } from '../../core/event-kinds.ts';
import { type ProbeStatus, type ProbeSubject, probeKey } from '../../core/probe/probe-status.ts';
import { isKnown, type Reported, unknown } from '../../core/unknown.ts';

type Stage = ProbeStatus['stage'];

export class StatusBoard {
  readonly #record: (fact: Fact) => void;
  readonly #nowMs: () => number;
  readonly #reported = new Map<string, ReportedState>();

  constructor(record: (fact: Fact) => void, nowMs: () => number) {
    this.#record = record;
    this.#nowMs = nowMs;
  }

  report(subject: ProbeSubject, stage: Stage): void {
    const key = probeKey(subject);
    const nowMs = this.#nowMs();
    const nextAtMs = nextAt(stage, nowMs);
    const reported = this.#reported.get(key);
    if (
      reported !== undefined &&
      isSameStage(reported.stage, stage) &&
      !hasMoved(reported.nextAtMs, nextAtMs, nowMs)
    )
      return;
    this.#reported.set(key, { subject, stage, nextAtMs });
    this.#record({ kind: 'probe.reported', payload: { subject, stage } });
  }

  /** Reports that nothing is planned for anything not among these; what comes back is reported again. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const [key, { subject, stage }] of this.#reported) {
      if (keys.has(key)) continue;
      this.#reported.delete(key);
      if (stage.kind === 'idle' && !isKnown(stage.nextInMs)) continue;
      const idle: Stage = { kind: 'idle', nextInMs: unknown('it is not there now') };
      this.#record({ kind: 'probe.reported', payload: { subject, stage: idle } });
    }
  }
}

interface ReportedState {
  readonly subject: ProbeSubject;
  readonly stage: Stage;
  readonly nextAtMs: number | undefined;
}

const nextAt = (stage: Stage, nowMs: number): number | undefined =>
  stage.kind === 'running' || !isKnown(stage.nextInMs) ? undefined : nowMs + stage.nextInMs;

const isSameStage = (a: Stage, b: Stage): boolean => {
  if (a.kind === 'waiting' && b.kind === 'waiting') return a.reason === b.reason;
  return a.kind === b.kind && a.kind !== 'running';
};

/** By more than a page shows. */
const hasMoved = (reportedMs: number | undefined, nextMs: number | undefined, nowMs: number): boolean => {
  if (reportedMs === undefined || nextMs === undefined) return reportedMs !== nextMs;
  return Math.abs(reportedMs - nextMs) > Math.max(MOVED_MS_MIN, (nextMs - nowMs) / 10);
};

export const waitingStage = (reason: string, nextInMs: Reported<number>): Stage => ({
  kind: 'waiting',
  reason: reason.slice(0, REASON_LENGTH_MAX),
  nextInMs,
});

const MOVED_MS_MIN = 5_000;
const REASON_LENGTH_MAX = 300;
