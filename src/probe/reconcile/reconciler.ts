// Compares state with what is desired (a fresh profile for each device and each own connection) and starts what is due,
// one probe per interface, limited by budget, runners and other probes. Nothing here reacts to an event: replaying a
// journal starts no probe, because only what is due by the current state is started.

import { type Clock, pause } from '../../clock/clock.ts';
import type { Fact } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import { type ProbeSubject, probeKey } from '../../core/probe/probe-status.ts';
import type { State } from '../../core/state.ts';
import type { RequestedProbe } from '../../wire/api/probe-answers.ts';
import type { ProbeCause } from '../lease/lease-message.ts';
import type { ProbeDevice } from '../probe.ts';
import { type PortLoads, portLoads } from '../schedule/probe-interval.ts';
import { type ProbeSettings, RECONCILE_TICK_MS } from '../schedule/probe-settings.ts';
import { OTHER_END_MS, type WantedProbe, wantedDevices, wantedLinks } from '../schedule/wanted-probes.ts';
import type { ProbeRunner } from './probe-runner.ts';
import { StatusBoard, waitingStage } from './status-board.ts';

interface ReconcilerParts {
  readonly self: NodeId;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly state: () => State;
  readonly settings: () => ProbeSettings;
  readonly record: (fact: Fact) => void;
  /** Devices of this machine, as it is now. */
  readonly devices: () => readonly ProbeDevice[];
  readonly runner: ProbeRunner;
}

interface Schedule {
  readonly after: string;
  /** So probes that started together are not all due at the same moment. */
  readonly jitterMs: number;
  dueSinceMs: number | undefined;
}

export class Reconciler {
  readonly #parts: ReconcilerParts;
  readonly #board: StatusBoard;
  readonly #running = new Map<string, Promise<void>>();
  readonly #requested = new Set<string>();
  readonly #waits = new Map<string, { readonly untilMs: number; readonly reason: string }>();
  readonly #schedules = new Map<string, Schedule>();
  /** When something last kept it from being measured. */
  readonly #blockedAtMs = new Map<string, number>();
  /** When each was measured or tried, including what is gone since. */
  readonly #triedAtMs = new Map<string, number>();
  #failure: { readonly error: unknown } | undefined;
  #wake = new AbortController();
  #seen: readonly unknown[] = [];
  #loads: PortLoads = { byPort: new Map(), byPath: new Map() };
  #loadsAtMs = Number.NEGATIVE_INFINITY;
  #signal: AbortSignal | undefined;

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
    this.#board = new StatusBoard(parts.record, () => parts.clock.nowMs());
  }

  /** Works until the abort; resolves when everything that was started has ended. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#parts;
    const stop = new AbortController();
    const until = AbortSignal.any([signal, stop.signal]);
    try {
      // Machines switched on together do not start measuring together.
      await clock.sleep(START_MS_MIN + random() * START_MS_SPREAD, until);
      this.#signal = until;
      for (;;) {
        if (this.#failure !== undefined) throw this.#failure.error;
        this.#wake = new AbortController();
        const lookAtMs = clock.nowMs() + this.#look();
        while (clock.nowMs() < lookAtMs && !this.#wake.signal.aborted && !this.#hasNews())
          await this.#rest(Math.min(NEWS_MS, Math.max(1, lookAtMs - clock.nowMs())), until);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#signal = undefined;
      stop.abort();
      await Promise.all(this.#running.values());
    }
  }

  /**
   * Until something wakes it. Every task wakes it when it ends; an unexpected failure is thrown. Racing each wait
   * against one promise of that failure would keep every wait in memory for as long as the daemon runs.
   */
  async #rest(durationMs: number, until: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([until, this.#wake.signal]);
    await pause(this.#parts.clock, durationMs, signal);
    until.throwIfAborted();
  }

  /** The wanted probes may have changed since the last check: a new cable does not wait for the tick. */
  #hasNews(): boolean {
    const { self, state } = this.#parts;
    const now = [state().connections[self], state().nodeGpus[self]];
    const isNews = now.some((part, index) => part !== this.#seen[index]);
    this.#seen = now;
    return isNews;
  }

  /**
   * Measures as soon as possible, ignoring freshness and budget; a busy interface still delays it, and a
   * runner delays all but sockets.
   * @param isOfAll requested of every node at once: one end per path is enough
   */
  request(isMeant: (subject: ProbeSubject) => boolean, isOfAll = false): readonly RequestedProbe[] {
    const meant = this.#wanted().flatMap(want =>
      isOfAll && want.kind !== 'gpu' && !want.isOwnTurn ? [] : (subjectsOf(want).find(isMeant) ?? []),
    );
    for (const subject of meant) {
      const key = probeKey(subject);
      if (!this.#running.has(key)) this.#requested.add(key);
      this.#waits.delete(key);
    }
    if (this.#signal !== undefined) this.#look();
    this.#wake.abort();
    return meant.map(subject => this.#answer(subject));
  }

  #answer(subject: ProbeSubject): RequestedProbe {
    const key = probeKey(subject);
    if (!this.#parts.settings().isEnabled) {
      this.#requested.delete(key);
      return { subject, result: 'refused', reason: OFF };
    }
    if (this.#running.has(key)) return { subject, result: 'started', reason: '' };
    const reason = this.#waits.get(key)?.reason ?? 'the daemon has just started';
    return { subject, result: 'queued', reason };
  }

  /**
   * One comparison.
   * @returns how long until the next is useful, ms
   */
  #look(): number {
    const { clock, runner, settings } = this.#parts;
    const nowMs = clock.nowMs();
    const wanted = this.#wanted();
    this.#forgetOthers(new Set(wanted.map(({ subject }) => probeKey(subject))));
    let nextInMs = RECONCILE_TICK_MS;
    const later = (inMs: number): void => {
      nextInMs = Math.min(nextInMs, Math.max(LOOK_MS_MIN, inMs));
    };
    for (const want of this.#inOrder(wanted)) {
      const key = probeKey(want.subject);
      if (this.#running.has(key)) continue;
      if (!settings().isEnabled) {
        this.#blockedAtMs.set(key, nowMs);
        this.#board.report(want.subject, waitingStage(OFF, RECONCILE_TICK_MS));
        continue;
      }
      const isByHand = this.#requested.has(key);
      const dueInMs = isByHand ? 0 : this.#dueInMs(want);
      if (dueInMs > 0) {
        this.#board.report(want.subject, { kind: 'idle', nextInMs: dueInMs });
        later(dueInMs);
        continue;
      }
      const wait = this.#waits.get(key);
      if (wait !== undefined && wait.untilMs > nowMs) {
        later(wait.untilMs - nowMs);
        continue;
      }
      const blocker = runner.blocker(want, this.#causeOf(want));
      if (blocker !== undefined) {
        this.#blockedAtMs.set(key, nowMs);
        later(this.#wait(want, blocker.reason, blocker.retryInMs));
        continue;
      }
      const otherInMs = isByHand || isOwnTurn(want) ? 0 : this.#otherEndMs(key);
      if (otherInMs > 0) {
        this.#board.report(want.subject, { kind: 'idle', nextInMs: otherInMs });
        later(otherInMs);
      } else this.#start(want, isByHand);
    }
    return nextInMs;
  }

  #start(want: WantedProbe, isByHand: boolean): void {
    const signal = this.#signal;
    if (signal === undefined) return;
    const key = probeKey(want.subject);
    this.#waits.delete(key);
    const task = this.#measure(want, isByHand, signal)
      .catch(error => {
        if (!signal.aborted) this.#failure ??= { error };
      })
      .finally(() => {
        this.#running.delete(key);
        this.#wake.abort();
      });
    this.#running.set(key, task);
  }

  async #measure(want: WantedProbe, isByHand: boolean, signal: AbortSignal): Promise<void> {
    const { runner } = this.#parts;
    const why = this.#causeOf(want);
    const ending = await runner.run(want, {
      why,
      signal,
      loads: this.#loads,
      onMeasuring: expectedMs => this.#board.report(want.subject, { kind: 'running', expectedMs, isByHand }),
    });
    if (ending.kind === 'postponed') this.#wait(want, ending.reason, ending.retryInMs);
    else {
      this.#requested.delete(probeKey(want.subject));
      this.#noteTried(probeKey(want.subject), this.#parts.clock.nowMs());
      // Everything waited while a device was measured: links get their turn before the next one.
      if (want.kind === 'gpu') this.#waits.clear();
    }
  }

  /** To state, a flapping link is new each time; the budget lets it be measured once per interval. */
  #causeOf({ subject, isFirst, intervalMs }: WantedProbe): ProbeCause {
    const key = probeKey(subject);
    if (this.#requested.has(key)) return 'by-hand';
    const triedAtMs = this.#triedAtMs.get(key) ?? Number.NEGATIVE_INFINITY;
    return isFirst && this.#parts.clock.nowMs() - triedAtMs >= intervalMs ? 'first' : 'due';
  }

  /** From before the daemon's restart; `atMs` on this process's clock. */
  remember(subject: ProbeSubject, atMs: number): void {
    this.#noteTried(probeKey(subject), atMs);
  }

  #noteTried(key: string, atMs: number): void {
    this.#triedAtMs.delete(key);
    this.#triedAtMs.set(key, atMs);
    const oldest = this.#triedAtMs.keys().next().value;
    if (this.#triedAtMs.size > TRIED_MAX && oldest !== undefined) this.#triedAtMs.delete(oldest);
  }

  #wait(want: WantedProbe, reason: string, retryInMs: number): number {
    this.#waits.set(probeKey(want.subject), { untilMs: this.#parts.clock.nowMs() + retryInMs, reason });
    this.#board.report(want.subject, waitingStage(reason, retryInMs));
    return retryInMs;
  }

  #wanted(): readonly WantedProbe[] {
    const { self, clock, state, settings, devices } = this.#parts;
    const at = { self, settings: settings(), nowMs: clock.nowMs() };
    if (at.nowMs - this.#loadsAtMs >= RECONCILE_TICK_MS) {
      this.#loadsAtMs = at.nowMs;
      this.#loads = portLoads(state(), at.nowMs);
    }
    const isRequested = (subject: ProbeSubject): boolean => this.#requested.has(probeKey(subject));
    return [...wantedDevices(state(), devices(), at), ...wantedLinks(state(), this.#loads, at, isRequested)];
  }

  /**
   * On request first, then newcomers, then the rest; links before devices, which need the whole machine and take long;
   * each group in random order, so nothing is always last.
   */
  #inOrder(wanted: readonly WantedProbe[]): readonly WantedProbe[] {
    const { random } = this.#parts;
    const rank = (want: WantedProbe): number =>
      (this.#requested.has(probeKey(want.subject)) ? 0 : want.isFirst ? 2 : 4) +
      (want.kind === 'gpu' ? 1 : 0);
    return wanted
      .map(want => ({ want, rank: rank(want) + random() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ want }) => want);
  }

  /** With a random part, drawn once for each profile: a tenth of its interval, a few seconds at most. */
  #dueInMs(want: WantedProbe): number {
    const { clock, random } = this.#parts;
    const key = probeKey(want.subject);
    let schedule = this.#schedules.get(key);
    if (schedule?.after !== want.after) {
      const spreadMs = want.isFirst ? FIRST_JITTER_MS_MAX : JITTER_MS_MAX;
      const jitterMs = random() * Math.min(spreadMs, want.intervalMs / 10);
      schedule = { after: want.after, jitterMs, dueSinceMs: undefined };
      this.#schedules.set(key, schedule);
    }
    if (want.dueInMs > 0) return want.dueInMs + schedule.jitterMs;
    schedule.dueSinceMs ??= clock.nowMs();
    return schedule.dueSinceMs + schedule.jitterMs - clock.nowMs();
  }

  /** What kept this end from measuring kept the chosen end too: both could start now, and it is the other one's turn. */
  #otherEndMs(key: string): number {
    const blockedAtMs = this.#blockedAtMs.get(key);
    return blockedAtMs === undefined ? 0 : blockedAtMs + OTHER_END_MS - this.#parts.clock.nowMs();
  }

  #forgetOthers(keys: ReadonlySet<string>): void {
    this.#board.keepOnly(keys);
    for (const map of [this.#waits, this.#schedules, this.#blockedAtMs])
      for (const key of map.keys()) if (!keys.has(key)) map.delete(key);
    for (const key of this.#requested) if (!keys.has(key)) this.#requested.delete(key);
  }
}

const isOwnTurn = (want: WantedProbe): boolean => want.kind === 'gpu' || want.isOwnTurn;

/** A path is requested by any of its addresses. */
const subjectsOf = (want: WantedProbe): readonly ProbeSubject[] =>
  want.kind === 'gpu' ? [want.subject] : [want.subject, ...want.others];

export const OFF = 'probes are off: probes.enabled in config.toml, or --probes off';
/** Connections remembered as measured. */
const TRIED_MAX = 2_048;
const START_MS_MIN = 2_000;
const START_MS_SPREAD = 8_000;
const LOOK_MS_MIN = 100;
/** Two comparisons of references. */
const NEWS_MS = 2_000;
const JITTER_MS_MAX = 10_000;
/** A person waits for the first figures. */
const FIRST_JITTER_MS_MAX = 3_000;
