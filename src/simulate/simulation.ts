// Runs a simulated cluster on a clock: every node reports once a second, spread over the second, and only the seed and
// the clock decide what.

import type { Clock } from '../clock/clock.ts';
import { eventSlot, type Fact, factKey } from '../core/event-kinds.ts';
import type { NodeId } from '../core/ids.ts';
import type { Load } from '../core/probe/load.ts';
import type { ProbeSubject } from '../core/probe/probe-status.ts';
import type { RequestedProbe } from '../wire/api/probe-answers.ts';
import { absenceAt, isAway } from './absence.ts';
import { LIVE_INTERVAL_MS } from './live-readings.ts';
import { NodeReporting, type SimulatedFact } from './node-reporting.ts';
import { PAST_DAYS } from './past-profiles.ts';
import type { Scenario } from './scenario/scenario.ts';
import { type Wiring, wire } from './site.ts';

export interface SimulationOptions {
  readonly scenario: Scenario;
  /** One a machine. */
  readonly nodeIds: readonly NodeId[];
  readonly seed: number;
  readonly clock: Clock;
  readonly plimsollVersion: string;
  /** Seconds between two samples of the quarter of an hour before the start; undefined: no past. */
  readonly pastStepSeconds?: number;
  /** Real work on a node in addition to the simulation; undefined: none. */
  readonly activity?: (node: NodeId) => string | undefined;
  /** Receives a node's events, in order. */
  readonly report: (node: NodeId, facts: readonly SimulatedFact[]) => void;
  /** A node stops answering, or answers again and is about to report. */
  readonly onAway?: (node: NodeId, away: Away) => void;
}

/** `stopped`: its daemon was stopped and reports it with its last event. */
export type Away = 'back' | 'silent' | 'stopped';

/** A node that is away when the simulation starts. */
export interface Remaining {
  readonly node: NodeId;
  /** Since when, ms. */
  readonly awayMs: number;
  /** Its last events, with their ages at that time. */
  readonly facts: readonly SimulatedFact[];
}

/** A profile from before the simulation. */
export interface PastProfile {
  readonly fact: Fact;
  /** On the clock. */
  readonly atMs: number;
}

export class Simulation {
  readonly wiring: Wiring;
  readonly #options: SimulationOptions;
  readonly #reportings: readonly NodeReporting[];
  readonly #begun = new Set<NodeReporting>();
  readonly #away = new Set<NodeReporting>();
  #beganAtMs: number;

  constructor(options: SimulationOptions) {
    const { scenario, nodeIds, seed, plimsollVersion } = options;
    this.#options = options;
    this.#beganAtMs = options.clock.nowMs();
    this.wiring = wire(scenario, nodeIds);
    this.#reportings = this.wiring.sites.map(
      site =>
        new NodeReporting({
          site,
          wiring: this.wiring,
          seed,
          plimsollVersion,
          beganWallMs: options.clock.wallMs(),
          activity: () => options.activity?.(site.nodeId),
        }),
    );
  }

  /** Before `run`: nodes that fell silent before it starts. Without this call they first appear when they come back. */
  remaining(): readonly Remaining[] {
    const { absences } = this.wiring;
    return this.#reportings.flatMap((reporting): readonly Remaining[] => {
      const absence = absences.find(({ machine }) => machine === reporting.site.index);
      if (absence === undefined || absence.fromSeconds >= 0 || !isAway([absence], reporting.site.index, 0))
        return [];
      this.#begun.add(reporting);
      const facts = reporting.begin(absence.fromSeconds * 1_000);
      return [{ node: reporting.site.nodeId, awayMs: -absence.fromSeconds * 1_000, facts }];
    });
  }

  /** Measures the given subjects of one node now; none if there is no such node, or it is away. */
  request(node: NodeId, isMeant: (subject: ProbeSubject) => boolean): readonly RequestedProbe[] {
    const reporting = this.#reportings.find(({ site }) => site.nodeId === node);
    return reporting === undefined || this.#away.has(reporting) ? [] : reporting.request(isMeant);
  }

  /** Undefined if there is no such node, or it is away. */
  load(node: NodeId, subjects: readonly ProbeSubject[], durationMs: number): readonly Load[] | undefined {
    const reporting = this.#reportings.find(({ site }) => site.nodeId === node);
    const nowMs = this.#options.clock.nowMs() - this.#beganAtMs;
    return reporting === undefined || this.#away.has(reporting)
      ? undefined
      : subjects.map(subject => reporting.load(subject, durationMs, nowMs));
  }

  isAway(node: NodeId): boolean {
    return [...this.#away].some(({ site }) => site.nodeId === node);
  }

  /** The profiles of a connection or device in the month before, one per hour, oldest first. */
  past(node: NodeId, { slot, key }: { readonly slot: string; readonly key: string }): readonly PastProfile[] {
    const profile = this.#reportings
      .find(({ site }) => site.nodeId === node)
      ?.pastOf(fact => eventSlot(fact.kind) === slot && factKey(fact) === key);
    if (profile === undefined) return [];
    return Array.from({ length: PAST_DAYS * 24 }, (_, index): PastProfile => {
      const agoMs = (PAST_DAYS * 24 - index) * HOUR_MS;
      return { fact: profile(agoMs), atMs: this.#beganAtMs - agoMs };
    });
  }

  /** Until the signal aborts; resolves then. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, report, pastStepSeconds } = this.#options;
    const beganAtMs = clock.nowMs();
    this.#beganAtMs = beganAtMs;
    try {
      for (const reporting of this.#reportings) {
        const nowMs = clock.nowMs() - beganAtMs;
        if (this.#isThere(reporting, nowMs)) {
          if (pastStepSeconds !== undefined) report(reporting.site.nodeId, reporting.past(pastStepSeconds));
          report(reporting.site.nodeId, this.#factsOf(reporting, nowMs));
        }
        // A pause between two nodes, so this process can serve pages in between.
        await clock.sleep(0, signal);
      }
      for (let step = 0; ; step += 1) {
        await clock.sleep(Math.max(0, beganAtMs + (step + 1) * STEP_MS - clock.nowMs()), signal);
        const nowMs = clock.nowMs() - beganAtMs;
        for (let index = step % STEPS; index < this.#reportings.length; index += STEPS) {
          const reporting = this.#reportings[index];
          if (reporting !== undefined && this.#isThere(reporting, nowMs))
            report(reporting.site.nodeId, this.#factsOf(reporting, nowMs));
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #factsOf(reporting: NodeReporting, nowMs: number): readonly SimulatedFact[] {
    if (this.#begun.has(reporting)) return reporting.tick(nowMs);
    this.#begun.add(reporting);
    return reporting.begin(nowMs);
  }

  /** Reports when a node leaves or comes back. */
  #isThere(reporting: NodeReporting, nowMs: number): boolean {
    const { index, nodeId } = reporting.site;
    const absence = absenceAt(this.wiring.absences, index, nowMs / 1_000);
    const isAwayNow = absence !== undefined;
    if (isAwayNow !== this.#away.has(reporting)) {
      if (isAwayNow) this.#away.add(reporting);
      else this.#away.delete(reporting);
      this.#options.onAway?.(
        nodeId,
        absence === undefined ? 'back' : absence.isOrderly === true ? 'stopped' : 'silent',
      );
    }
    return !isAwayNow;
  }
}

/** Nodes report in turns, a part of them at a time. */
const STEPS = 10;
const STEP_MS: number = LIVE_INTERVAL_MS / STEPS;
const HOUR_MS = 3_600_000;
