// Receives the reports of sweeps and searches on this machine, and reads their documents. Their stages are runs, which are in
// the registry of runs; between two stages the sweep itself keeps probes away from its target.

import { join } from 'node:path';
import { ageMsOf } from '../../core/entry-maps.ts';
import { EVENT_KINDS } from '../../core/event-kinds.ts';
import type { SweepId } from '../../core/ids.ts';
import type { Entry } from '../../core/state.ts';
import type { Stage } from '../../core/sweep/stage.ts';
import type { Sweep, SweepFindings } from '../../core/sweep/sweep.ts';
import { lineOf, stageDigests, sweepEndOf, sweepHeadDigest } from '../../core/sweep/sweep-digest.ts';
import type { LineDocument, SweepDocument } from '../../core/sweep/sweep-document.ts';
import { unknown } from '../../core/unknown.ts';
import type { SweepEnd, SweepStart, SweepUpdate } from '../../wire/sweep-digest-schema.ts';
import { STAGES_MAX } from '../../wire/sweep-schema.ts';
import { nowAndEvery } from '../every.ts';
import {
  ABANDONED_MS,
  LOOK_MS,
  type ReportedState,
  type RunRegistry,
  type RunRegistryParts,
  SCAN_MS,
} from './run-registry.ts';
import { runFolders } from './run-reports.ts';
import { readSweepFile } from './sweep-files.ts';
import { plainTarget, targetNodeOf } from './target-node.ts';

/** What is known of one that ended, or goes on. */
interface SweepContents {
  readonly document: SweepDocument | LineDocument | undefined;
  readonly stages: readonly Stage[];
  /** Why there is no document; '' where there is, or where none is due. */
  readonly notice: string;
}

export class SweepRegistry {
  readonly #parts: RunRegistryParts & { readonly runs: RunRegistry };
  readonly #live = new Map<SweepId, LiveSweep>();
  readonly #stopRequested = new Set<SweepId>();
  readonly #startedAtMs: number;
  /** Directory to when it changed last. */
  readonly #looked = new Map<string, number>();
  #scannedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: RunRegistryParts & { readonly runs: RunRegistry }) {
    this.#parts = parts;
    this.#startedAtMs = parts.clock.nowMs();
  }

  start(begun: SweepStart): ReportedState {
    if (!this.#live.has(begun.sweepId) && this.#live.size >= EVENT_KINDS['stages.reported'].entriesMax)
      return 'full';
    const sweep: Sweep = {
      ...begun,
      ...this.#targetOf(begun.target),
      ...NOTHING_FOUND,
      state: 'running',
      reason: '',
    };
    const recorded = this.#parts.record({ kind: 'sweep.started', payload: sweep });
    this.#live.set(sweep.sweepId, { sweep, stages: new Map() });
    this.#lease(sweep);
    return recorded === 'waiting' ? 'waiting' : 'taken';
  }

  /** Accepts only reports of a sweep that started here; after a start of the daemon it must be reported again, with all its stages. */
  update({ sweepId, line, sentence, stages, progress }: SweepUpdate): ReportedState {
    const live = this.#live.get(sweepId);
    if (live === undefined) return 'unknown';
    for (const stage of stages) if (stage.number <= STAGES_MAX) live.stages.set(stage.number, stage);
    this.#lease(live.sweep);
    this.#parts.record({
      kind: 'stages.reported',
      payload: { sweepId, line, sentence, stages: stageDigests(inOrder(live)), progress },
    });
    return this.#stopRequested.has(sweepId) ? 'stop' : 'taken';
  }

  /** Its process receives the request with the reply to its next report. False if none is in progress here. */
  stop(sweepId: SweepId): boolean {
    if (!this.#live.has(sweepId)) return false;
    this.#stopRequested.add(sweepId);
    return true;
  }

  end(ended: SweepEnd): ReportedState {
    const live = this.#live.get(ended.sweepId);
    if (live === undefined) {
      const own = this.#own(ended.sweepId)?.value;
      return own === undefined || own.state === 'running' ? 'unknown' : 'taken';
    }
    const payload: Sweep = { ...live.sweep, ...ended, stages: stageDigests(inOrder(live)) };
    if (this.#parts.record({ kind: 'sweep.ended', payload }) === 'waiting') return 'waiting';
    this.#forget(ended.sweepId);
    return 'taken';
  }

  /** Of this node's; undefined where it has none of that id. */
  async contents(sweepId: SweepId): Promise<SweepContents | undefined> {
    const live = this.#live.get(sweepId);
    if (live !== undefined) return { document: undefined, stages: inOrder(live), notice: '' };
    const own = this.#own(sweepId)?.value;
    if (own === undefined) return undefined;
    const file = await readSweepFile(own.directory);
    if (file.kind === 'refused') return { document: undefined, stages: [], notice: file.reason };
    if (file.sweepId !== sweepId)
      return { document: undefined, stages: [], notice: `${own.directory} now contains another one` };
    return { document: file.document, stages: [], notice: '' };
  }

  /** Gives up those that fell silent and finds documents, until the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    await nowAndEvery(LOOK_MS, () => this.look(), { clock, until: signal });
  }

  /** One round of looking after those that fell silent, and for directories that nobody announced. */
  async look(): Promise<void> {
    await this.#giveUpSilent();
    const nowMs = this.#parts.clock.nowMs();
    if (nowMs - this.#scannedAtMs < SCAN_MS) return;
    this.#scannedAtMs = nowMs;
    await this.#findDocuments();
  }

  #targetOf(url: string): Pick<Sweep, 'target' | 'targetNode'> {
    const target = plainTarget(url);
    return { target, targetNode: targetNodeOf(target, this.#parts) };
  }

  /** The stages have leases of their own; this one holds while one drains and the next has not begun. */
  #lease({ sweepId, targetNode }: Sweep): void {
    this.#parts.record({
      kind: 'runner.reported',
      payload: {
        runnerKey: `sweep ${sweepId}`,
        source: 'run',
        targetNode,
        requestsInFlight: unknown('see its stages'),
      },
    });
  }

  #forget(sweepId: SweepId): void {
    this.#live.delete(sweepId);
    this.#stopRequested.delete(sweepId);
  }

  /** What it wrote last is the truth; a process that is gone wrote nothing since. */
  async #giveUpSilent(): Promise<void> {
    const nowMs = this.#parts.clock.nowMs();
    for (const entry of Object.values(this.#sweeps())) {
      const sweep = entry.value;
      if (sweep.state !== 'running' || this.#silentMs(entry, nowMs) <= ABANDONED_MS) continue;
      const file = await readSweepFile(sweep.directory);
      if (this.#own(sweep.sweepId)?.value !== sweep) continue;
      const found = file.kind === 'here' && file.sweepId === sweep.sweepId ? file.document : undefined;
      const known =
        found === undefined
          ? { ...this.#reportedLast(sweep.sweepId), ...LOST }
          : { ...findingsOf(found), ...sweepEndOf(found) };
      if (this.#parts.record({ kind: 'sweep.ended', payload: { ...sweep, ...known } }) !== 'waiting')
        this.#forget(sweep.sweepId);
    }
  }

  #reportedLast(sweepId: SweepId): SweepFindings {
    const reported = this.#parts.state().sweepProgress[this.#parts.nodeId]?.[sweepId]?.value;
    return reported === undefined
      ? NOTHING_FOUND
      : { line: reported.line, sentence: reported.sentence, stages: reported.stages };
  }

  #silentMs(entry: Entry<Sweep>, nowMs: number): number {
    const live = this.#parts.state().sweepProgress[this.#parts.nodeId]?.[entry.value.sweepId];
    const received = Math.min(ageMsOf(entry, nowMs), live === undefined ? Infinity : ageMsOf(live, nowMs));
    // A daemon that has just started has had no time to receive anything.
    return Math.min(nowMs - this.#startedAtMs, received);
  }

  /** Finds documents that no daemon received, with the runs of their stages. */
  async #findDocuments(): Promise<void> {
    const nowMs = this.#parts.clock.nowMs();
    for (const { path: directory, atMs } of (await runFolders(this.#parts.home)).toReversed()) {
      if (this.#looked.get(directory) === atMs) continue;
      const file = await readSweepFile(directory);
      if (file.kind === 'refused') {
        this.#looked.set(directory, atMs);
        continue;
      }
      const { document, sweepId } = file;
      // A process that still writes it announces itself within seconds.
      if (document.state === 'running' && nowMs - this.#startedAtMs < ABANDONED_MS) continue;
      this.#looked.set(directory, atMs);
      if (this.#own(sweepId) !== undefined) continue;
      if (Object.keys(this.#sweeps()).length >= EVENT_KINDS['sweep.started'].entriesMax) return;
      this.#parts.record({
        kind: 'sweep.ended',
        payload: {
          sweepId,
          ...sweepHeadDigest(document, directory),
          ...this.#targetOf(document.target),
          ...findingsOf(document),
          ...sweepEndOf(document),
        },
      });
      for (const stage of document.stages)
        await this.#parts.runs.find(join(directory, stage.directory), { sweepId, stage: stage.number });
    }
  }

  #own(sweepId: SweepId): Entry<Sweep> | undefined {
    const sweeps = this.#sweeps();
    return Object.hasOwn(sweeps, sweepId) ? sweeps[sweepId] : undefined;
  }

  #sweeps(): Readonly<Record<string, Entry<Sweep>>> {
    return this.#parts.state().sweeps[this.#parts.nodeId] ?? {};
  }
}

/** One that goes on. */
interface LiveSweep {
  readonly sweep: Sweep;
  readonly stages: Map<number, Stage>;
}

const inOrder = ({ stages }: LiveSweep): readonly Stage[] =>
  [...stages.values()].sort((a, b) => a.number - b.number);

const findingsOf = (document: SweepDocument | LineDocument): SweepFindings => ({
  ...lineOf(document),
  stages: stageDigests(document.stages),
});

const NOTHING_FOUND: SweepFindings = { line: unknown('no stage has ended'), sentence: '', stages: [] };
const LOST = {
  state: 'interrupted',
  reason: 'its process exited unexpectedly, and its document cannot be read',
} as const;
