// A reading as a person should see it: derived from its entry and the reader's own monotonic clock, so every viewer
// sees a stalled source go stale without an event.

import { ageMsOf } from '../entry-maps.ts';
import type { Entry, ReadingEntry } from '../state.ts';
import type { ReadingFailed, ReadingStatus } from './gathered.ts';

/** A reading as a person should see it now. */
export type ReadingView<T> =
  | { readonly kind: 'waiting' }
  /** Nothing of the kind on this machine, and how that is known. */
  | { readonly kind: 'absent'; readonly reason: string; readonly source: string; readonly ageMs: number }
  /** Nothing was ever read, and why. */
  | {
      readonly kind: 'unavailable';
      readonly reason: string;
      readonly code?: string;
      readonly source: string;
      readonly ageMs: number;
    }
  | { readonly kind: 'current'; readonly value: T; readonly source: string; readonly ageMs: number }
  /** The last value, too old to be trusted, with the source's reason if it gave one. */
  | {
      readonly kind: 'stale';
      readonly value: T;
      readonly source: string;
      readonly ageMs: number;
      readonly reason: string;
      readonly code?: string;
    };

/** A reading is stale after this many of its intervals: 2.5 and a view's refresh stay within three. */
export const STALE_INTERVALS = 2.5;
/** A reading reported twice a second may be late by a scheduler's hiccup without counting as stale. */
const STALE_MS_MIN = 2_000;

export const readingView = <T>(
  entry: ReadingEntry<T> | undefined,
  status: Entry<ReadingStatus> | undefined,
  nowMs: number,
): ReadingView<T> => {
  if (
    status?.value.kind === 'absent' &&
    (entry === undefined || ageMsOf(status, nowMs) <= ageMsOf(entry, nowMs))
  ) {
    return {
      kind: 'absent',
      reason: status.value.reason,
      source: status.value.source,
      ageMs: ageMsOf(status, nowMs),
    };
  }
  if (entry === undefined) {
    if (status?.value.kind !== 'failed') return { kind: 'waiting' };
    return {
      kind: 'unavailable',
      ...whyOf(status.value),
      source: status.value.source,
      ageMs: ageMsOf(status, nowMs),
    };
  }
  const isConfirmed = status?.value.kind === 'confirmed';
  const ageMs = isConfirmed ? Math.min(ageMsOf(entry, nowMs), ageMsOf(status, nowMs)) : ageMsOf(entry, nowMs);
  const intervalMs = isConfirmed ? status.value.intervalMs : entry.intervalMs;
  const { value, source } = entry;
  if (status?.value.kind === 'failed' && ageMsOf(status, nowMs) < ageMs) {
    return { kind: 'stale', value, source, ageMs, ...whyOf(status.value) };
  }
  if (ageMs <= Math.max(STALE_MS_MIN, STALE_INTERVALS * intervalMs))
    return { kind: 'current', value, source, ageMs };
  return { kind: 'stale', value, source, ageMs, reason: `${source} has sent nothing new`, code: 'no-answer' };
};

/** The last value, current or not. */
export const knownValue = <T>(view: ReadingView<T>): T | undefined =>
  view.kind === 'current' || view.kind === 'stale' ? view.value : undefined;

/** Why there is no value, or no fresh one; '' where there is. */
export const whyNot = (view: ReadingView<unknown>): string => {
  switch (view.kind) {
    case 'waiting':
      return 'not read yet';
    case 'absent':
    case 'unavailable':
    case 'stale':
      return view.reason;
    case 'current':
      return '';
    default:
      return view satisfies never;
  }
};

const whyOf = ({ reason, code }: ReadingFailed): Pick<ReadingFailed, 'reason' | 'code'> =>
  code === undefined ? { reason } : { reason, code };
