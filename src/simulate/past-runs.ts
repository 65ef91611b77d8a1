// Benchmarks of the days before the simulation, reported by the first machine about the one that serves a model. Their
// figures follow from a few numbers, as on a server: time per token grows with the requests in flight, throughput with
// both.

import type { Fact } from '../core/event-kinds.ts';
import { isRunId, type RunId } from '../core/ids.ts';
import { objectiveFields } from '../core/run/objective.ts';
import type { Run, RunFigures } from '../core/run/run.ts';
import { PLAIN_SHAPE } from '../core/run/run-shape.ts';
import { unknown } from '../core/unknown.ts';
import { OUTPUT_TOKENS, simulatedFigures } from './simulated-figures.ts';
import type { Site, Wiring } from './site.ts';

export interface PastRun {
  readonly fact: Fact;
  readonly ageMs: number;
}

/** Only for the first machine, and only if one serves a model. Oldest first. */
export const pastRunsOf = (site: Site, { sites }: Wiring, beganWallMs: number): readonly PastRun[] => {
  const target = sites.find(({ machine }) => machine.quirks?.servesModel === true);
  if (target === undefined || site.index !== REPORTER) return [];
  return ROUNDS.map((round, index): PastRun => {
    const startedWallMs = beganWallMs - round.agoHours * HOUR_MS;
    const runId = runIdAt(startedWallMs);
    const isWhole = round.reason === undefined;
    const value: Run = {
      runId,
      startedAt: new Date(startedWallMs).toISOString(),
      target: `http://${target.sockets[0]?.address ?? '192.0.2.1'}:8000/v1`,
      targetNode: target.nodeId,
      serverKind: 'vllm',
      model: 'demo-model-30b',
      pattern:
        round.requestsPerSecond === undefined
          ? { kind: 'concurrency', concurrency: round.inFlight }
          : { kind: 'poisson', requestsPerSecond: round.requestsPerSecond },
      shape: PLAIN_SHAPE,
      runName: unknown('not given'),
      tags: [],
      dataset: `synthetic, ${OUTPUT_TOKENS} tokens out`,
      seed: index + 1,
      command: unknown('simulated'),
      isStreaming: true,
      limits: { samplesMax: unknown('not given'), durationMs: round.seconds * 1_000 },
      ...objectiveFields(
        round.requestsPerSecond === undefined ? [] : [{ kind: 'request', name: 'ttft', limitNs: 500e6 }],
        1,
      ),
      directory: `/Users/${site.machine.name}/.plimsoll/runs/${runId}`,
      sweep: unknown('not a stage of a sweep'),
      state: isWhole ? 'complete' : 'interrupted',
      reason: round.reason ?? '',
      figures: figuresOf(round),
    };
    return {
      fact: { kind: 'run.ended', payload: value },
      ageMs: round.agoHours * HOUR_MS - round.seconds * 1_000,
    };
  });
};

interface Round {
  readonly agoHours: number;
  /** Requests in progress on the server, on average. */
  readonly inFlight: number;
  /** Undefined: a closed loop of `inFlight`. */
  readonly requestsPerSecond?: number;
  readonly seconds: number;
  readonly failed?: number;
  /** Why it did not finish. */
  readonly reason?: string;
}

const figuresOf = ({ inFlight, requestsPerSecond, seconds, failed = 0 }: Round): RunFigures => {
  // One step of a batch reads the weights once, and costs a little more for each request in it.
  const tokenMs = 14 + 1.1 * inFlight;
  const firstMs = 120 + 18 * inFlight;
  const rate = requestsPerSecond ?? (inFlight * 1_000) / (firstMs + tokenMs * OUTPUT_TOKENS);
  const completed = Math.round(rate * seconds) - failed;
  return simulatedFigures({ inFlight, rate, seconds, completed, failed, firstMs, tokenMs });
};

/** As the benchmark names its runs: the time in UTC and four random digits. */
const runIdAt = (wallMs: number): RunId => {
  const [day = '', time = ''] = new Date(wallMs).toISOString().replaceAll(/[-:]/g, '').split(/[T.]/);
  const text = `${day}-${time}-${(Math.floor(wallMs / 1_000) % 65_536).toString(16).padStart(4, '0')}`;
  if (isRunId(text)) return text;
  throw new RangeError(`not a run id: ${text}`);
};

const ROUNDS: readonly Round[] = [
  { agoHours: 171.2, inFlight: 1, seconds: 60 },
  { agoHours: 170.9, inFlight: 8, seconds: 120 },
  { agoHours: 98.4, inFlight: 16, seconds: 41, reason: 'stopped by Ctrl-C' },
  { agoHours: 74.1, inFlight: 32, seconds: 120, failed: 4 },
  { agoHours: 27.6, inFlight: 7, requestsPerSecond: 1.8, seconds: 300 },
  { agoHours: 3.3, inFlight: 8, seconds: 120 },
];
const REPORTER = 0;
const HOUR_MS = 3_600_000;
