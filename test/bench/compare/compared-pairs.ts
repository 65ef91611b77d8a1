// A comparison of two servers whose segments are runs that are made up: B takes a fifth longer.

import type { SideParts } from '../../../src/bench/compare/compared-side.ts';
import type { KeptPairs } from '../../../src/bench/compare/comparison-directory.ts';
import { runComparison } from '../../../src/bench/compare/run-comparison.ts';
import { BENCH_SETTINGS } from '../../../src/bench/run/bench-parts.ts';
import type { BenchRequest } from '../../../src/bench/run/bench-request.ts';
import { systemClock } from '../../../src/clock/system-clock.ts';
import type { ComparisonDocument } from '../../../src/core/comparison/comparison-document.ts';
import { pairPlan, USUAL_LOOKS } from '../../../src/core/comparison/pair-plan.ts';
import type { Report } from '../../../src/core/run/report.ts';
import type { RunTags } from '../../../src/core/run/run-shape.ts';
import { madeUpComparison } from '../../support/made-up-comparison.ts';
import { MadeUpRun } from '../../support/made-up-run.ts';
import { runConfig } from '../../support/run-records.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { requestHere } from '../run-here.ts';

interface Segment {
  readonly directory: string;
  readonly side: 'a' | 'b';
  readonly seed: number;
  readonly tags: RunTags;
  readonly limits: Pick<BenchRequest, 'samplesMax' | 'durationMs'>;
}

interface Setting {
  /** What becomes of the report of a segment; throwing is a server that is gone. */
  readonly report?: (report: Report, segment: Segment) => Report;
  readonly began?: (segment: Segment) => void;
  readonly models?: readonly [a: string, b: string];
  readonly isAnyway?: boolean;
  readonly isSameModel?: boolean;
  readonly isOneAtATime?: boolean;
  /** That each segment plays; default: segments of 1 ms. */
  readonly sessions?: number;
  readonly stop?: AbortSignal;
  readonly ready?: SideParts['ready'];
  /** Of an earlier sitting. */
  readonly kept?: KeptPairs;
}

interface Compared {
  readonly document: ComparisonDocument;
  readonly segments: readonly Segment[];
  /** Pairs in each written document. */
  readonly written: readonly number[];
}

export const SLOWER = 1.2;

/** One for all: what differs between segments is its scale. */
export const measured: Report = ((): Report => {
  using folder = temporaryDirectory();
  const run = new MadeUpRun({ directory: folder.path });
  run.samples(300, { fromMs: 0, untilMs: 60_000 });
  return run.report();
})();

/** B takes a fifth longer, give or take what pairs differ by. */
export const compare = async (setting: Setting = {}): Promise<Compared> => {
  const {
    models = ['m', 'm'],
    isAnyway = false,
    isSameModel = false,
    stop = new AbortController().signal,
  } = setting;
  using folder = temporaryDirectory();
  const segments: Segment[] = [];
  const written: number[] = [];
  const pattern = { kind: 'poisson', requestsPerSecond: 10 } as const;
  const side = (port: number): SideParts => ({
    label: `port ${port}`,
    request: requestHere(`http://127.0.0.1:${port}`, { pattern }),
    isStartedHere: false,
    ready: setting.ready ?? (async () => 'known'),
  });
  const start = madeUpComparison([]);
  const plan = pairPlan(
    USUAL_LOOKS,
    setting.sessions === undefined
      ? { durationMs: 1, requests: 0, latencies: 0 }
      : { durationMs: 0, requests: 0, latencies: 0, sessions: setting.sessions },
  );
  const document = await runComparison(
    {
      plan,
      pattern,
      primary: 'ttft.p90',
      margins: {},
      isSegmentFixed: true,
      warmupMs: 1,
      restMs: 0,
      seed: 100,
      isOneAtATime: setting.isOneAtATime ?? false,
    },
    {
      segment: {
        bench: {
          clock: systemClock,
          env: {},
          nodePath: '',
          temporaryFolder: folder.path,
          version: '0',
          environment: start.environment,
          settings: BENCH_SETTINGS,
          stop,
          stopNow: stop,
        },
        newRun: number => ({
          runId: `run-${number}`,
          startedAt: '2026-11-23T01:00:00.000Z',
          noncePrefix: '00000000',
        }),
        run: async (request, parts) => {
          const segment: Segment = {
            directory: parts.directory.slice(folder.path.length + 1),
            side: request.target.server.port === 1 ? 'a' : 'b',
            seed: request.seed,
            tags: request.tags,
            limits: { samplesMax: request.samplesMax, durationMs: request.durationMs },
          };
          segments.push(segment);
          const config = runConfig({
            id: parts.runId,
            pattern,
            model: models[segment.side === 'a' ? 0 : 1],
            seed: request.seed,
          });
          parts.observer.started({
            config,
            directory: parts.directory,
            snapshotsEndpoint: '',
            runZeroNs: 0n,
            counts: () => ({ issued: 0, warmup: 0, ended: 0 }),
          });
          setting.began?.(segment);
          const factor = (segment.side === 'b' ? SLOWER : 1) * (1 + 0.01 * Math.sin(7 * segments.length));
          const report = scaled({ ...measured, run: config.run }, factor);
          return { report: setting.report?.(report, segment) ?? report, diskProblems: [] };
        },
      },
      a: side(1),
      b: side(2),
      directory: folder.path,
      document: { ...start, plan, isAnyway, isSameModel, looks: [], metrics: [] },
      ...(setting.kept === undefined ? {} : { kept: setting.kept }),
      write: async ({ a }) => {
        written.push(a.units.length);
      },
      observer: {
        segmentBegan: () => undefined,
        segmentEnded: async () => undefined,
        phase: () => undefined,
        snapshot: () => undefined,
        notice: () => undefined,
        changed: () => undefined,
      },
    },
  );
  return { document, segments, written };
};

export const scaled = (report: Report, factor: number): Report => {
  const { ttftNs } = report.series;
  if (ttftNs === undefined) throw new Error('no TTFT');
  const { failureAdjusted: _none, ...kept } = ttftNs;
  const percentiles = Object.fromEntries(
    Object.entries(ttftNs.percentiles).map(([name, value]) => [name, value * factor]),
  );
  return { ...report, series: { ...report.series, ttftNs: { ...kept, percentiles } } };
};

export const hinderedClient = (report: Report): Report => ({
  ...report,
  client: { ...report.client, verdict: 'client-bound', starved: true, reasons: ['it was stalled'] },
});

export const spoiled = (report: Report): Report => ({
  ...report,
  contamination: [
    {
      code: 'other-clients',
      count: 3,
      of: 60,
      unit: 'readings',
      spoils: ['ttftNs'],
      problem: 'the server had requests from other clients',
      advice: 'Measure while no other client uses the server.',
    },
  ],
});

/** A client that may have made so much of TTFT p90. */
export const withBound = (report: Report, part: number): Report => {
  const { ttftNs } = report.series;
  const valueNs = ttftNs?.percentiles['90'];
  if (ttftNs === undefined || valueNs === undefined) throw new Error('no TTFT');
  const mean = { above: 0, below: 0 };
  const errorBound = { mean, percentiles: { '90': { above: part * valueNs, below: 0 } } };
  return { ...report, series: { ...report.series, ttftNs: { ...ttftNs, errorBound } } };
};
