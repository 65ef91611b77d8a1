// Where a run stands under the bound, found out at its end: the machine that it loaded from the daemon of this one, the model's
// facts from the server or from what a person named. Whatever cannot be had is a reason in the report, never a failed run.

import type { BenchRequest } from '../../bench/run/bench-request.ts';
import type { ModelLimits } from '../../bench/target/ask-model-limits.ts';
import { askModelLimits } from '../../bench/target/ask-model-limits.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { isRunId } from '../../core/ids.ts';
import { CACHE_TYPES } from '../../core/model/cache-bytes.ts';
import { measuredEngine } from '../../core/model/calibrate-engine.ts';
import { constantsFor } from '../../core/model/constants-for.ts';
import type { EngineCalibration, HeldCalibration } from '../../core/model/engine-calibration.ts';
import type { Engine } from '../../core/model/engine-constants.ts';
import type { LoadedPlace } from '../../core/model/host-evidence.ts';
import { loadedPlace } from '../../core/model/host-evidence.ts';
import type { ModelFacts } from '../../core/model/model-facts.ts';
import { nodeCalibrations } from '../../core/model/node-calibrations.ts';
import { runHeadroom } from '../../core/model/run-headroom.ts';
import type { RunHeadroom } from '../../core/model/run-standing.ts';
import { nodeView } from '../../core/node/node-view.ts';
import { errorMessage } from '../../core/problem.ts';
import type { Report } from '../../core/run/report.ts';
import type { State } from '../../core/state.ts';
import { isUnknown, knownOr, type Unknown, unknown } from '../../core/unknown.ts';
import { calibrationKey, modelDigest, servedModel } from '../../model/served-model.ts';
import { clusterNow } from '../cluster-stream.ts';
import { CommandError } from '../command-error.ts';
import { findDaemon } from '../daemon-client.ts';
import type { ProcessState } from '../process-state.ts';

export interface JudgeOptions {
  readonly request: BenchRequest;
  readonly home: string;
  /** The model's file, folder or URL, as --facts names it. */
  readonly facts: string | undefined;
}

/** What a report gets beside its figures. Never rejects. */
export const judgeRun =
  (state: ProcessState, options: JudgeOptions) =>
  async (report: Report): Promise<Pick<Report, 'headroom' | 'calibration'>> => {
    const signal = AbortSignal.any([state.stop, AbortSignal.timeout(JUDGE_MS_MAX)]);
    try {
      return await judged(state, options, report, signal);
    } catch (error) {
      return {
        headroom: unknown(
          signal.aborted
            ? 'it could not be found out in time'
            : errorMessage(error).slice(0, REASON_LENGTH_MAX),
        ),
      };
    }
  };

const judged = async (
  state: ProcessState,
  { request, home, facts }: JudgeOptions,
  report: Report,
  signal: AbortSignal,
): Promise<Pick<Report, 'headroom' | 'calibration'>> => {
  const cluster = await clusterOf(state, home, signal);
  const loaded = isUnknown(cluster) ? cluster : loadedBy(cluster, report);
  // Without a ceiling only a depth profile has use for the model.
  if (isUnknown(loaded) && report.depth === undefined) return { headroom: loaded };
  const { server, shown } = request.target;
  const limits = await askModelLimits({ server, headers: request.headers, model: request.model, signal });
  const isHere = LOOPBACK.test(server.host);
  const model = await servedModel(
    { named: facts, servedPath: isHere ? limits.modelPath : undefined, serverUrl: new URL(shown).origin },
    signal,
  );
  if (isUnknown(model)) return { headroom: isUnknown(loaded) ? loaded : model };
  const engine = engineOf(knownOr(report.run.serverKind, ''));
  const calibration =
    report.depth === undefined ? undefined : calibrationOf(report, { model, engine, limits });
  const told = calibration === undefined ? {} : { calibration };
  if (isUnknown(loaded)) return { headroom: loaded, ...told };
  return { headroom: headroomOf(report, { model, engine, loaded }), ...told };
};

interface Cluster {
  readonly state: State;
  readonly nowMs: number;
}

const clusterOf = async (
  state: ProcessState,
  home: string,
  signal: AbortSignal,
): Promise<Cluster | Unknown> => {
  try {
    const client = await findDaemon(home, state);
    const moment = await clusterNow(client, systemClock, signal);
    return { state: moment.state, nowMs: systemClock.nowMs() };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return unknown('no daemon runs here that has measured the machine: plimsoll up');
  }
};

interface LoadedNode extends LoadedPlace {
  readonly calibrations: readonly HeldCalibration[];
}

/** By the daemon's own account of the run. */
const loadedBy = ({ state, nowMs }: Cluster, { run }: Report): LoadedNode | Unknown => {
  const target = isRunId(run.id)
    ? Object.values(state.runs).flatMap(runs => runs[run.id]?.value.targetNode ?? [])[0]
    : undefined;
  if (target === undefined) return unknown('the daemon did not hear of the run');
  if (isUnknown(target))
    return unknown(`the machine behind the URL is no node of the cluster: ${target.reason}`);
  const loaded = loadedPlace(nodeView(state, target, nowMs), nowMs);
  return isUnknown(loaded) ? loaded : { ...loaded, calibrations: nodeCalibrations(state, target, nowMs) };
};

const headroomOf = (
  report: Report,
  {
    model,
    engine,
    loaded: { place, evidence, calibrations },
  }: { readonly model: ModelFacts; readonly engine: Engine; readonly loaded: LoadedNode },
): RunHeadroom | Unknown => {
  return runHeadroom({
    report,
    model,
    place,
    engine,
    constants: constantsFor(model, engine, { ...place, calibrations }),
    cacheType: 'f16',
    evidence,
  });
};

const calibrationOf = (
  report: Report,
  {
    model,
    engine,
    limits,
  }: { readonly model: ModelFacts; readonly engine: Engine; readonly limits: ModelLimits },
): EngineCalibration | Unknown => {
  const { depth, run } = report;
  if (depth === undefined || !isRunId(run.id)) return unknown('no depth profile');
  if (!report.complete) return unknown('the run is not complete');
  if (report.client.verdict !== 'trustworthy') return unknown('this client was the limit');
  const measured = measuredEngine(depth, model, CACHE_TYPES.f16);
  if (isUnknown(measured)) return measured;
  const digest = modelDigest(model);
  return {
    ...measured,
    calibrationKey: calibrationKey([engine, knownOr(limits.version, ''), digest]),
    targetNode: unknown('the daemon knows it'),
    runId: run.id,
    engine,
    version: limits.version,
    modelName: knownOr(run.model, model.name),
    modelDigest: digest,
  };
};

/** Ollama and LM Studio run llama.cpp. */
const engineOf = (serverKind: string): Engine => ENGINES_BY_KIND.get(serverKind) ?? 'other';

const ENGINES_BY_KIND: ReadonlyMap<string, Engine> = new Map([
  ['llama.cpp', 'llama.cpp'],
  ['Ollama', 'llama.cpp'],
  ['LM Studio', 'llama.cpp'],
  ['MLX', 'mlx'],
  ['vLLM', 'vllm'],
  ['SGLang', 'sglang'],
]);
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;
/** At the end of a run, for daemon, server and file together. */
const JUDGE_MS_MAX = 10_000;
const REASON_LENGTH_MAX = 300;
