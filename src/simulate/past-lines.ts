// Load lines that were found in the days before the simulation, with the runs of their stages: reported by the first machine
// for the one that serves a model. The older one found less, before a fault was fixed.

import type { Fact } from '../core/event-kinds.ts';
import { isRunId, isSweepId, type NodeId, type SweepId } from '../core/ids.ts';
import type { Run } from '../core/run/run.ts';
import { PLAIN_SHAPE } from '../core/run/run-shape.ts';
import type { Stage } from '../core/sweep/stage.ts';
import type { Sweep } from '../core/sweep/sweep.ts';
import { lineOf, stageDigests, sweepEndOf, sweepHeadDigest } from '../core/sweep/sweep-digest.ts';
import type { LineDocument } from '../core/sweep/sweep-document.ts';
import { isUnknown, knownOr, unknown } from '../core/unknown.ts';
import type { PastRun } from './past-runs.ts';
import { OUTPUT_TOKENS, simulatedFigures } from './simulated-figures.ts';
import { type SimulatedLineOptions, simulatedLine, simulatedLineSeconds } from './simulated-line.ts';
import type { Site, Wiring } from './site.ts';

/** None but of the first machine, and none where nobody serves a model. Oldest first. */
export const pastLinesOf = (
  site: Site,
  { sites }: Wiring,
  { beganWallMs, plimsollVersion }: { readonly beganWallMs: number; readonly plimsollVersion: string },
): readonly PastRun[] => {
  const served = sites.find(({ machine }) => machine.quirks?.servesModel === true);
  if (served === undefined || site.index !== REPORTER) return [];
  const target = `http://${served.sockets[0]?.address ?? '192.0.2.1'}:8000/v1`;
  return PAST.flatMap(({ agoHours, capacityPerSecond }) => {
    const startedWallMs = beganWallMs - agoHours * HOUR_MS;
    const options = { ...DEMO_SEARCH, startedWallMs, target, plimsollVersion, capacityPerSecond };
    const document = simulatedLine(options);
    const directory = `/Users/${site.machine.name}/.plimsoll/runs/${document.id}`;
    const endedAgoMs = agoHours * HOUR_MS - simulatedLineSeconds(options) * 1_000;
    return [
      ...document.stages.flatMap(stage =>
        stageRun(stage, { document, directory, targetNode: served.nodeId }).map(
          (run): PastRun => ({
            fact: { kind: 'run.ended', payload: run },
            ageMs: beganWallMs - Date.parse(stage.startedAt),
          }),
        ),
      ),
      ...lineFact(document, directory, served.nodeId).map((fact): PastRun => ({ fact, ageMs: endedAgoMs })),
    ];
  });
};

/** The document of a line that this module has announced; undefined for any other. */
export const pastLineDocument = (sweep: Sweep, plimsollVersion: string): LineDocument | undefined => {
  const startedWallMs = Date.parse(sweep.startedAt);
  return PAST.map(({ capacityPerSecond }) =>
    simulatedLine({
      ...DEMO_SEARCH,
      startedWallMs,
      target: sweep.target,
      plimsollVersion,
      capacityPerSecond,
    }),
  ).find(document => document.id === sweep.sweepId && document.sentence === sweep.sentence);
};

/** A search as the demo has it: short, against a small server. */
export const DEMO_SEARCH: Pick<
  SimulatedLineOptions,
  'model' | 'firstPerSecond' | 'outputTokens' | 'stageSeconds'
> = { model: 'demo-model-30b', firstPerSecond: 0.5, outputTokens: OUTPUT_TOKENS, stageSeconds: 60 };

/** Of a stage that has ended with figures. */
export const stageRun = (
  stage: Stage,
  {
    document,
    directory,
    targetNode,
  }: { readonly document: LineDocument; readonly directory: string; readonly targetNode: Run['targetNode'] },
): readonly Run[] => {
  const { load, figures, runId } = stage;
  if (isUnknown(figures) || load.kind !== 'rate' || !isRunId(runId) || !isSweepId(document.id)) return [];
  const seconds = figures.elapsedNs / 1e9;
  const firstMs = isUnknown(figures.curve) ? 0 : figures.curve.p50 / 1e6;
  const tokenMs = 1_000 / knownOr(figures.perUserTokensPerSecond, 50);
  const rate = knownOr(figures.completedPerSecond, load.requestsPerSecond);
  return [
    {
      runId,
      startedAt: stage.startedAt,
      target: document.target,
      targetNode,
      serverKind: document.serverKind,
      model: document.model,
      pattern: { kind: 'poisson', requestsPerSecond: load.requestsPerSecond },
      shape: PLAIN_SHAPE,
      runName: unknown('not given'),
      tags: [],
      dataset: document.dataset,
      seed: stage.seed,
      command: unknown('a stage of a load line'),
      isStreaming: true,
      limits: { samplesMax: unknown('not given'), durationMs: Math.round(seconds * 1_000) },
      objectives: [{ name: 'ttft', limitNs: 500e6 }],
      runObjectives: [],
      attainment: document.attainment,
      directory: `${directory}/${stage.directory}`,
      sweep: { sweepId: document.id, stage: stage.number },
      state: 'complete',
      reason: '',
      figures: simulatedFigures({
        inFlight: Math.ceil((rate * (firstMs + tokenMs * OUTPUT_TOKENS)) / 1_000),
        rate,
        seconds,
        completed: figures.completed,
        failed: 0,
        firstMs,
        tokenMs,
      }),
    },
  ];
};

const lineFact = (document: LineDocument, directory: string, targetNode: NodeId): readonly Fact[] => {
  const sweepId: SweepId | undefined = isSweepId(document.id) ? document.id : undefined;
  if (sweepId === undefined) return [];
  return [
    {
      kind: 'sweep.ended',
      payload: {
        sweepId,
        ...sweepHeadDigest(document, directory),
        targetNode,
        ...lineOf(document),
        stages: stageDigests(document.stages),
        ...sweepEndOf(document),
      },
    },
  ];
};

const PAST = [
  { agoHours: 51.3, capacityPerSecond: 3.4 },
  { agoHours: 5.6, capacityPerSecond: 4.1 },
] as const;
const REPORTER = 0;
const HOUR_MS = 3_600_000;
