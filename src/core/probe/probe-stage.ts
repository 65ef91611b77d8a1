// What is being measured now, as far as it is valid: a status is a lease, and one past its announced end no
// longer counts.

import type { Entry } from '../state.ts';
import { knownOr } from '../unknown.ts';
import type { ProbeStatus } from './probe-status.ts';

export type ProbeStage =
  | { readonly kind: 'running'; readonly leftMs: number; readonly isByHand: boolean }
  | { readonly kind: 'waiting'; readonly reason: string; readonly nextInMs: number | undefined }
  | { readonly kind: 'idle'; readonly nextInMs: number | undefined };

/** A status remains valid this long past its announced end, because its renewal takes time to arrive. */
const PROBE_STATUS_GRACE_MS = 60_000;

export const stageOf = (entry: Entry<ProbeStatus> | undefined, nowMs: number): ProbeStage | undefined => {
  if (entry === undefined) return undefined;
  const { stage } = entry.value;
  const ageMs = Math.max(0, entry.ageMs + nowMs - entry.receivedAtMs);
  if (stage.kind === 'running') {
    if (ageMs > stage.expectedMs + PROBE_STATUS_GRACE_MS) return undefined;
    return { kind: 'running', leftMs: Math.max(0, stage.expectedMs - ageMs), isByHand: stage.isByHand };
  }
  const reportedMs = knownOr(stage.nextInMs, undefined);
  if (ageMs > (reportedMs ?? 0) + PROBE_STATUS_GRACE_MS) return undefined;
  const nextInMs = reportedMs === undefined ? undefined : Math.max(0, reportedMs - ageMs);
  return stage.kind === 'waiting'
    ? { kind: 'waiting', reason: stage.reason, nextInMs }
    : { kind: 'idle', nextInMs };
};

/** Until when a status is valid: this process's monotonic clock; Infinity for none. */
export const stageEndsAtMs = (entry: Entry<ProbeStatus> | undefined): number => {
  if (entry === undefined) return Number.POSITIVE_INFINITY;
  const { stage } = entry.value;
  const reportedMs = stage.kind === 'running' ? stage.expectedMs : knownOr(stage.nextInMs, 0);
  return entry.receivedAtMs - entry.ageMs + reportedMs + PROBE_STATUS_GRACE_MS;
};
