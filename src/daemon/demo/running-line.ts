// A search for a load line that goes on while somebody looks at the demo, and after a pause again: announced as a real one is,
// every second, with the runs of its stages as they end. Nothing is sent to anybody.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DocumentReporter, REPORTED_SWEEP } from '../../bench/announce/document-reporter.ts';
import type { Clock } from '../../clock/clock.ts';
import { homeFiles } from '../../config/home.ts';
import type { Fact } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import type { LineDocument } from '../../core/sweep/sweep-document.ts';
import { DEMO_SEARCH, stageRun } from '../../simulate/past-lines.ts';
import {
  type SimulatedLineOptions,
  simulatedLine,
  simulatedLineSeconds,
} from '../../simulate/simulated-line.ts';
import { sweepDocumentToJson } from '../../wire/stored-json.ts';
import { readDaemonFile } from '../daemon-file.ts';

interface RunningLineOptions {
  readonly home: string;
  readonly clock: Clock;
  readonly version: string;
  /** The machine that the daemon plays, against itself. */
  readonly targetNode: NodeId;
  /** Takes what a stage's run came to. */
  readonly record: (fact: Fact) => void;
}

export class RunningLine implements AsyncDisposable {
  readonly #options: RunningLineOptions;
  readonly #stop = new AbortController();
  #work: Promise<void> | undefined;

  constructor(options: RunningLineOptions) {
    this.#options = options;
  }

  start(): void {
    this.#work ??= this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    for (let round = 0; !this.#stop.signal.aborted; round += 1) {
      try {
        await this.#search(round);
        await clock.sleep(PAUSE_MS, this.#stop.signal);
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        throw error;
      }
    }
  }

  async #search(round: number): Promise<void> {
    const { clock, home, version } = this.#options;
    const search: SimulatedLineOptions = {
      ...DEMO_SEARCH,
      stageSeconds: STAGE_SECONDS,
      startedWallMs: clock.wallMs(),
      target: 'http://127.0.0.1:8000/v1',
      plimsollVersion: version,
      capacityPerSecond: CAPACITY + 0.2 * (round % 3),
    };
    const beganAtMs = clock.nowMs();
    const first = simulatedLine(search, 0);
    const directory = join(home, 'runs', first.id);
    const stopRequested = new AbortController();
    await using announcement = new DocumentReporter<LineDocument>(REPORTED_SWEEP, {
      findDaemon: async () => {
        const found = await readDaemonFile(homeFiles(home).daemon);
        return found.kind === 'found' ? found.file : undefined;
      },
      clock,
      document: first,
      directory,
      onStopRequested: () => stopRequested.abort(),
    });
    await this.#follow({ search, directory, beganAtMs, announcement, stopRequested: stopRequested.signal });
  }

  async #follow({
    search,
    directory,
    beganAtMs,
    announcement,
    stopRequested,
  }: {
    readonly search: SimulatedLineOptions;
    readonly directory: string;
    readonly beganAtMs: number;
    readonly announcement: DocumentReporter<LineDocument>;
    readonly stopRequested: AbortSignal;
  }): Promise<void> {
    const { clock } = this.#options;
    const wholeSeconds = simulatedLineSeconds(search);
    let recorded = 0;
    while (true) {
      const seconds = (clock.nowMs() - beganAtMs) / 1_000;
      const isDone = seconds >= wholeSeconds;
      const reached = isDone ? simulatedLine(search) : simulatedLine(search, seconds);
      const document = stopRequested.aborted ? stopped(reached) : reached;
      recorded = this.#recordEnded(document, directory, recorded);
      if (document.state !== 'running') {
        mkdirSync(directory, { recursive: true, mode: 0o700 });
        writeFileSync(join(directory, 'line.json'), sweepDocumentToJson(document));
        await announcement.end(document);
        return;
      }
      announcement.update(document);
      await clock.sleep(UPDATE_MS, this.#stop.signal);
    }
  }

  /** @returns how many stages are recorded now */
  #recordEnded(document: LineDocument, directory: string, recorded: number): number {
    const { targetNode, record } = this.#options;
    const ended = document.stages.filter(({ state }) => state === 'ended');
    for (const stage of ended.slice(recorded))
      for (const payload of stageRun(stage, { document, directory, targetNode }))
        record({ kind: 'run.ended', payload });
    return ended.length;
  }
}

/** What is known is kept. */
const stopped = ({ progress: _progress, ...document }: LineDocument): LineDocument => ({
  ...document,
  state: 'stopped',
});

const UPDATE_MS = 1_000;
const STAGE_SECONDS = 20;
const CAPACITY = 4.4;
/** Between two searches: a demo is looked at for minutes, and its machine has other benchmarks to show. */
const PAUSE_MS = 600_000;
