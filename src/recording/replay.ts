// Plays a recording on a clock, in a loop: states and events come out at their original times, with the ages they had.

import type { Clock } from '../clock/clock.ts';
import { applyAll, applyCatchUp } from '../core/apply.ts';
import type { Event } from '../core/event.ts';
import { EMPTY_STATE, type State } from '../core/state.ts';
import { eventOf, type OriginLine, type RecordedEvent } from './recording-line.ts';
import { readRecording } from './recording-reader.ts';

interface ReplayOptions {
  readonly path: string;
  readonly clock: Clock;
  /** 2: twice as fast as it was. */
  readonly speed: number;
  /** A whole state, at each snapshot and each repetition. */
  readonly onState: (state: State) => void;
  readonly onEvents: (events: readonly Event[]) => void;
  /** The recording is incomplete; the part before keeps being played. */
  readonly onBroken: (reason: string) => void;
}

/** Until the signal aborts; resolves then. @throws RecordingError as `readHeader`. */
export const replay = async (options: ReplayOptions, signal: AbortSignal): Promise<void> => {
  const { clock } = options;
  try {
    while (!signal.aborted) {
      const beganAtMs = clock.nowMs();
      await playOnce(options, beganAtMs, signal);
      // Even a recording of one moment takes some time.
      await clock.sleep(Math.max(0, beganAtMs + ROUND_MS_MIN - clock.nowMs()), signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};

/**
 * Every live event of a recording, with ages as if its end were now: charts show them as the past. A damaged part ends
 * it; the player reports that.
 */
export async function* eventsBefore(path: string, clock: Clock): AsyncGenerator<Event, void, void> {
  let endMs = 0;
  for await (const part of readRecording(path))
    if (part.kind === 'line' && 'atMs' in part.line) endMs = Math.max(endMs, part.line.atMs);
  for await (const part of readRecording(path)) {
    if (part.kind === 'broken' || part.line.kind !== 'batch') continue;
    const { atMs, events } = part.line;
    for (const event of known(events, clock.nowMs()))
      if (event.class === 'live') yield { ...event, ageMs: event.ageMs + endMs - atMs };
  }
}

const playOnce = async (options: ReplayOptions, beganAtMs: number, signal: AbortSignal): Promise<void> => {
  const { path, clock, speed, onState, onEvents, onBroken } = options;
  /** Time of the first snapshot, which counts as now. */
  let zeroMs: number | undefined;
  const until = (atMs: number): Promise<void> => {
    zeroMs ??= atMs;
    return clock.sleep(Math.max(0, beganAtMs + (atMs - zeroMs) / speed - clock.nowMs()), signal);
  };
  let beginning: State | undefined;
  let hasState = false;
  for await (const part of readRecording(path)) {
    signal.throwIfAborted();
    if (part.kind === 'broken') {
      onBroken(part.reason);
      return;
    }
    const { line } = part;
    switch (line.kind) {
      case 'header':
        break;
      case 'begin':
        await until(line.atMs);
        beginning = EMPTY_STATE;
        break;
      case 'origin':
        if (beginning !== undefined) beginning = withOrigin(beginning, line, clock.nowMs());
        break;
      case 'ready':
        if (beginning === undefined) break;
        onState(beginning);
        hasState = true;
        beginning = undefined;
        break;
      case 'batch':
        if (!hasState) break;
        await until(line.atMs);
        onEvents(known(line.events, clock.nowMs()));
        break;
      case 'end':
        if (!hasState) break;
        await until(line.atMs);
        break;
      default:
        line satisfies never;
    }
  }
  if (!hasState) onBroken('the recording has no state of a cluster in it');
};

const withOrigin = (state: State, line: OriginLine, nowMs: number): State => {
  const { origin, epoch, through, lastSeenMs } = line;
  const events = known(line.events, nowMs).filter(event => event.origin === origin);
  const receivedAtMs = nowMs - lastSeenMs;
  const caughtUp =
    through === 0 ? state : applyCatchUp(state, { origin, epoch, through, events, receivedAtMs });
  return applyAll(
    caughtUp,
    events.filter(event => event.class === 'live'),
  );
};

const known = (events: readonly RecordedEvent[], nowMs: number): readonly Event[] =>
  events.flatMap(event => {
    const read = eventOf(event, nowMs);
    return read === undefined ? [] : [read];
  });

const ROUND_MS_MIN = 1_000;
