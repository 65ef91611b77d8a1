// Receives the reports of comparisons by pairs on this machine, and reads their documents. Their segments are runs, which are in
// the registry of runs.

import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import {
  comparisonEnd,
  findingsOfComparison,
  type ReportedComparison,
  type ReportedPairs,
} from '../../core/comparison/reported-comparison.ts';
import { ageMsOf } from '../../core/entry-maps.ts';
import { EVENT_KINDS } from '../../core/event-kinds.ts';
import type { ComparisonId } from '../../core/ids.ts';
import type { Entry } from '../../core/state.ts';
import { isUnknown, unknown } from '../../core/unknown.ts';
import type { ComparisonEnd, ComparisonStart } from '../../wire/reported-comparison-schema.ts';
import { nowAndEvery } from '../every.ts';
import { readComparisonFile } from './comparison-files.ts';
import { ABANDONED_MS, LOOK_MS, type ReportedState, type RunRegistryParts } from './run-registry.ts';
import { plainTarget, targetNodeOf } from './target-node.ts';

export class ComparisonRegistry {
  readonly #parts: RunRegistryParts;
  readonly #live = new Map<ComparisonId, ReportedComparison>();
  readonly #stopRequested = new Set<ComparisonId>();
  readonly #startedAtMs: number;

  constructor(parts: RunRegistryParts) {
    this.#parts = parts;
    this.#startedAtMs = parts.clock.nowMs();
  }

  start(begun: ComparisonStart): ReportedState {
    const isKnown = this.#live.has(begun.comparisonId);
    if (!isKnown && this.#live.size >= EVENT_KINDS['pairs.reported'].entriesMax) return 'full';
    const payload: ReportedComparison = { ...begun, state: 'running', reason: '' };
    const recorded = this.#parts.record({ kind: 'comparison.started', payload });
    this.#live.set(begun.comparisonId, payload);
    this.#lease(payload);
    return recorded === 'waiting' ? 'waiting' : 'taken';
  }

  /** Accepts only reports of a comparison that started here; after a start of the daemon it must be reported again. */
  update(payload: ReportedPairs): ReportedState {
    const live = this.#live.get(payload.comparisonId);
    if (live === undefined) return 'unknown';
    this.#lease(live);
    this.#parts.record({ kind: 'pairs.reported', payload });
    return this.#stopRequested.has(payload.comparisonId) ? 'stop' : 'taken';
  }

  end(ended: ComparisonEnd): ReportedState {
    const live = this.#live.get(ended.comparisonId);
    if (live === undefined) {
      const own = this.#own(ended.comparisonId)?.value;
      return own === undefined || own.state === 'running' ? 'unknown' : 'taken';
    }
    const payload: ReportedComparison = { ...live, ...ended };
    if (this.#parts.record({ kind: 'comparison.ended', payload }) === 'waiting') return 'waiting';
    this.#forget(ended.comparisonId);
    return 'taken';
  }

  /** Its process receives the request with the reply to its next report. False if none is in progress here. */
  stop(comparisonId: ComparisonId): boolean {
    if (!this.#live.has(comparisonId)) return false;
    this.#stopRequested.add(comparisonId);
    return true;
  }

  /** Of one of this node's; or why there is none. */
  async document(comparisonId: string): Promise<ComparisonDocument | string> {
    const own = this.#own(comparisonId)?.value;
    if (own === undefined) return 'no comparison of this machine has that id';
    const file = await readComparisonFile(own.directory);
    if (file.kind === 'refused') return file.reason;
    return file.document.id === comparisonId ? file.document : `${own.directory} now contains another one`;
  }

  /** Gives up those that fell silent, until the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    await nowAndEvery(LOOK_MS, () => this.look(), { clock, until: signal });
  }

  /** What it wrote last is the truth; a process that is gone wrote nothing since. */
  async look(): Promise<void> {
    const nowMs = this.#parts.clock.nowMs();
    for (const entry of Object.values(this.#comparisons())) {
      const reported = entry.value;
      if (reported.state !== 'running' || this.#silentMs(entry, nowMs) <= ABANDONED_MS) continue;
      const document = await this.document(reported.comparisonId);
      if (this.#own(reported.comparisonId)?.value !== reported) continue;
      const known =
        typeof document === 'string'
          ? { ...this.#reportedLast(reported), ...LOST }
          : { ...findingsOfComparison(document), ...comparisonEnd(document) };
      const payload: ReportedComparison = { ...reported, ...known };
      if (this.#parts.record({ kind: 'comparison.ended', payload }) !== 'waiting')
        this.#forget(reported.comparisonId);
    }
  }

  /** The segments have leases of their own; these hold while one drains, rests, or its server is started. */
  #lease({ comparisonId, a, b }: ReportedComparison): void {
    for (const [letter, { target }] of [
      ['A', a],
      ['B', b],
    ] as const)
      this.#parts.record({
        kind: 'runner.reported',
        payload: {
          runnerKey: `comparison ${comparisonId} ${letter}`,
          source: 'run',
          targetNode: isUnknown(target) ? target : targetNodeOf(plainTarget(target), this.#parts),
          requestsInFlight: unknown('see its segments'),
        },
      });
  }

  #forget(comparisonId: ComparisonId): void {
    this.#live.delete(comparisonId);
    this.#stopRequested.delete(comparisonId);
  }

  #reportedLast({
    comparisonId,
    ...reported
  }: ReportedComparison): Pick<ReportedPairs, 'sentence' | 'verdict' | 'pairsDone'> {
    const last =
      this.#parts.state().comparisonProgress[this.#parts.nodeId]?.[comparisonId]?.value ?? reported;
    return { sentence: last.sentence, verdict: last.verdict, pairsDone: last.pairsDone };
  }

  #silentMs(entry: Entry<ReportedComparison>, nowMs: number): number {
    const live = this.#parts.state().comparisonProgress[this.#parts.nodeId]?.[entry.value.comparisonId];
    const received = Math.min(ageMsOf(entry, nowMs), live === undefined ? Infinity : ageMsOf(live, nowMs));
    // A daemon that has just started has had no time to receive anything.
    return Math.min(nowMs - this.#startedAtMs, received);
  }

  #own(comparisonId: string): Entry<ReportedComparison> | undefined {
    const comparisons = this.#comparisons();
    return Object.hasOwn(comparisons, comparisonId) ? comparisons[comparisonId] : undefined;
  }

  #comparisons(): Readonly<Record<string, Entry<ReportedComparison>>> {
    return this.#parts.state().comparisons[this.#parts.nodeId] ?? {};
  }
}

const LOST = {
  state: 'interrupted',
  reason: 'its process exited unexpectedly, and its document cannot be read',
} as const;
