// A benchmark without a server: samples with figures of a seeded generator, counted by the product's own metrics, with the
// files that a run directory has. It reports to a daemon and a dashboard what a real run reports.

import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientProgress } from '../../src/bench/announce/run-reporter.ts';
import type { EndedSample } from '../../src/core/run/ended-sample.ts';
import { NO_FIGURE } from '../../src/core/run/event-record.ts';
import { judgedObjectives } from '../../src/core/run/objective.ts';
import type { Report, RunConfig } from '../../src/core/run/report.ts';
import type { RunPhase } from '../../src/core/run/run.ts';
import type { MetricsSnapshot, SnapshotState } from '../../src/core/run/snapshot.ts';
import { buildReport } from '../../src/metrics/build-report.ts';
import { RunMetrics } from '../../src/metrics/run-metrics.ts';
import { encodeSampleLine } from '../../src/wire/sample-line.ts';
import { reportToJson } from '../../src/wire/stored-json.ts';
import { runConfig } from './run-records.ts';

interface MadeUpRunOptions {
  readonly directory: string;
  readonly config?: RunConfig;
  /** Warm-up before the measured phase, ms. */
  readonly warmupMs?: number;
  readonly failureShare?: number;
}

export class MadeUpRun {
  readonly config: RunConfig;
  readonly directory: string;
  readonly metrics: RunMetrics;
  readonly warmupMs: number;
  readonly #failureShare: number;
  #seed = 11;
  #seq = 0;
  #sampleId = 0;
  #endNs = 0;
  #observedNs = 0;

  constructor({ directory, config = runConfig(), warmupMs = 0, failureShare = 0 }: MadeUpRunOptions) {
    this.config = config;
    this.directory = directory;
    this.warmupMs = warmupMs;
    this.#failureShare = failureShare;
    const { pattern, streaming } = config.run;
    this.metrics = new RunMetrics({
      pattern,
      isStreaming: streaming,
      objectives: config.objectives,
      judged: judgedObjectives(config),
    });
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'samples.jsonl'), '');
  }

  /** Samples that end one after the other within a span of the run's time. */
  samples(count: number, span: { readonly fromMs: number; readonly untilMs: number }): void {
    const stepNs = ((span.untilMs - span.fromMs) * 1e6) / count;
    const lines: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const sample = this.#sample(Math.round(span.fromMs * 1e6 + stepNs * (index + 0.5)));
      this.metrics.issued({ window: 0, intendedNs: sample.intendedNs, sentNs: sample.sentNs, heldBackNs: 0 });
      this.metrics.ended(sample);
      lines.push(encodeSampleLine(sample));
    }
    this.#endNs = span.untilMs * 1e6;
    appendFileSync(join(this.directory, 'samples.jsonl'), lines.join(''));
    this.#observe();
  }

  /** Requests that are on their way and never end. */
  begun(count: number): void {
    for (let index = 0; index < count; index += 1) {
      this.metrics.issued({ window: 0, intendedNs: this.#endNs, sentNs: this.#endNs, heldBackNs: 0 });
    }
  }

  snapshot(state: SnapshotState = 'live'): MetricsSnapshot {
    this.#seq += 1;
    const metrics =
      state === 'complete' || state === 'interrupted' ? this.metrics.final() : this.metrics.live();
    const beside = this.metrics.beside();
    return { seq: this.#seq, timestampNs: this.#endNs, state, pendingTasks: 0, metrics, ...beside };
  }

  client(phase: RunPhase = 'measuring'): ClientProgress {
    const elapsedMs = this.#endNs / 1e6;
    return {
      phase,
      elapsedMs,
      measuredMs: Math.max(0, elapsedMs - this.warmupMs),
    };
  }

  /** Also written to the run directory. */
  report(state: 'complete' | 'interrupted' = 'complete'): Report {
    const report = buildReport({
      config: this.config,
      snapshot: this.snapshot(state),
      source: 'complete-message',
      droppedEvents: 0,
      eventLogDropped: 0,
      isInterrupted: state === 'interrupted',
      runProblems: [],
      sourceProblems: [],
      notices: [],
    });
    writeFileSync(join(this.directory, 'report.json'), reportToJson(report));
    return report;
  }

  #sample(endNs: number): EndedSample {
    const bump = Math.exp(-(((endNs / 1e9 - 94) / 6) ** 2));
    const ttftNs = Math.round(1.72e8 * (1 + 0.55 * bump) * Math.exp(0.35 * this.#normal()));
    const chunkCount = 40 + Math.round(160 * this.#random());
    const gapNs = Math.round(1.49e7 * (0.9 + 0.2 * this.#random()));
    const firstContentNs = Math.max(0, endNs - gapNs * (chunkCount - 1));
    const sentNs = Math.max(0, firstContentNs - ttftNs);
    this.#sampleId += 1;
    const base = {
      sampleId: this.#sampleId,
      window: 0,
      intendedNs: sentNs,
      sentNs,
      connectNs: 0,
      heldBackNs: 0,
      firstAnswerNs: NO_FIGURE,
      endNs,
      finishReason: 'stop' as const,
      bytesSent: 800,
      bytesReceived: 240 * chunkCount,
    };
    if (this.#random() < this.#failureShare) return this.#failed(base);
    const gaps = Array.from({ length: chunkCount - 1 }, () => gapNs);
    const lastNs = firstContentNs + gapNs * (chunkCount - 1);
    return {
      ...base,
      endNs: lastNs,
      firstByteNs: firstContentNs,
      firstContentNs,
      chunkGapsNs: gaps,
      chunkCount,
      outcome: 'completed',
      failure: undefined,
      inputTokens: 120,
      outputTokens: chunkCount,
    };
  }

  #failed(
    base: Pick<EndedSample, 'sampleId' | 'endNs'> & Omit<EndedSample, (typeof OF_OUTCOME)[number]>,
  ): EndedSample {
    const kind = this.#random() < 0.6 ? 'timeout' : 'http-status';
    const detail = kind === 'timeout' ? 'first byte, 30 s' : '503, queue full';
    return {
      ...base,
      firstByteNs: NO_FIGURE,
      firstContentNs: NO_FIGURE,
      chunkGapsNs: [],
      chunkCount: 0,
      outcome: 'failed',
      failure: { kind, statusCode: kind === 'timeout' ? 0 : 503, detail },
      inputTokens: NO_FIGURE,
      outputTokens: NO_FIGURE,
    };
  }

  /** The report of a load thread about itself. */
  #observe(): void {
    this.metrics.client.observed(
      {
        kind: 'client.observed',
        atNs: this.#endNs,
        thread: 0,
        eventLoopUtilization: 0.12,
        cpuShare: 0.11,
        eventLoopDelayNsMax: 110_000 + 30_000 * this.#random(),
        readLatenessNsMax: 160_000 + 20_000 * this.#random(),
        gcPauseNsTotal: this.#observedNs === 0 ? 1_400_000 : 0,
        gcPauseNsMax: 700_000,
        connectionsOpened: this.#observedNs === 0 ? 29 : 0,
        connectionsReused: 20,
        connectionsClosed: 0,
        connectionsStale: 0,
        arrivalsWaiting: 0,
        backoffNs: 0,
        connectionsAhead: 0,
      },
      true,
    );
    this.#observedNs = this.#endNs;
  }

  #random(): number {
    this.#seed = (this.#seed * 16_807) % 2_147_483_647;
    return this.#seed / 2_147_483_647;
  }

  #normal(): number {
    return (this.#random() + this.#random() + this.#random() + this.#random() - 2) * 1.73;
  }
}

const OF_OUTCOME = [
  'firstByteNs',
  'firstContentNs',
  'chunkGapsNs',
  'chunkCount',
  'outcome',
  'failure',
  'inputTokens',
  'outputTokens',
] as const;
