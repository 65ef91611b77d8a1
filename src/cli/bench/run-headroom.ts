// Compares a run with the bound at its end: the loaded machine comes from the local daemon, the facts of the model from the
// server or from an option. Missing facts become a reason in the report, never a failed run.

import { resolve } from 'node:path';
import type { runBench } from '../../bench/bench.ts';
import type { BenchRequest } from '../../bench/run/bench-request.ts';
import { fetchModelLimits, type ModelLimits } from '../../bench/target/fetch-model-limits.ts';
import { serverUrl } from '../../bench/target/server-pages.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { isLoopbackHost } from '../../core/address/host-port.ts';
import { isRunId, type NodeId } from '../../core/ids.ts';
import { CACHE_TYPES } from '../../core/model/cache-bytes.ts';
import { clientShareOfTokens, measuredEngine } from '../../core/model/calibrate-engine.ts';
import type { EngineCalibration, StoredCalibration } from '../../core/model/engine-calibration.ts';
import type { Engine } from '../../core/model/engine-constants.ts';
import {
  type DeviceUses,
  type LoadedPlacement,
  loadedPlacement,
  usesDuring,
} from '../../core/model/loaded-placement.ts';
import type { ModelFacts } from '../../core/model/model-facts.ts';
import { nodeCalibrations, ofVersion } from '../../core/model/node-calibrations.ts';
import { devicesOf } from '../../core/model/placement.ts';
import { runHeadroom } from '../../core/model/run-headroom.ts';
import { type NodeView, nodeView } from '../../core/node/node-view.ts';
import { errorMessage } from '../../core/problem.ts';
import type { Report } from '../../core/run/report.ts';
import { isUnknown, knownOr, type Reported, type Unknown, unknown } from '../../core/unknown.ts';
import { hubFolder } from '../../model/hub-cache.ts';
import { calibrationKey, modelDigest, servedModel } from '../../model/served-model.ts';
import { historyAnswerSchema } from '../../wire/api/history-answers.ts';
import { clusterNow } from '../cluster-stream.ts';
import { CommandError } from '../command-error.ts';
import { type DaemonClient, findDaemon } from '../daemon-client.ts';
import type { ProcessState } from '../process-state.ts';

interface JudgeOptions {
  readonly home: string;
  /** The model's file, folder or URL, as --facts names it. */
  readonly facts: string | undefined;
}

/** As it was named on a command line; a command may go on from another folder than the one in which it was begun. */
export const factsPath = (cwd: string, facts: string | undefined): string | undefined =>
  facts === undefined || /^https?:/i.test(facts) ? facts : resolve(cwd, facts);

/** The parts of a report that are added to its figures. */
type JudgedPart = Pick<Report, 'headroom' | 'calibration'>;

/**
 * For the runs of one command: the header of a model is read once for all of them.
 * @returns the same run, judged at its end.
 */
export const judgedRuns = (
  state: ProcessState,
  options: JudgeOptions,
  run: typeof runBench,
): typeof runBench => {
  const models = new Map<string, Promise<ServedFacts>>();
  return (request, parts) => {
    const factsOf = (signal: AbortSignal): Promise<ServedFacts> => {
      const key = `${request.target.shown} ${request.model ?? ''}`;
      const known =
        models.get(key) ?? servedFacts(request, { named: options.facts, hub: hubFolder(state.env) }, signal);
      models.set(key, known);
      // The next run requests again what was not reported in time.
      known.then(
        ({ model }) => isUnknown(model) && models.delete(key),
        () => models.delete(key),
      );
      return known;
    };
    return run(request, { ...parts, judge: judgeRun(state, options.home, factsOf) });
  };
};

/** Never rejects. */
const judgeRun =
  (state: ProcessState, home: string, factsOf: (signal: AbortSignal) => Promise<ServedFacts>) =>
  async (report: Report): Promise<JudgedPart> => {
    const signal = AbortSignal.any([state.stop, AbortSignal.timeout(JUDGE_MS_MAX)]);
    try {
      const node = await loadedNode(state, { home, report, signal });
      // Without a ceiling only a depth profile has use for the model.
      if (isUnknown(node) && report.depth === undefined) return { headroom: node };
      return judged(report, node, await factsOf(signal));
    } catch (error) {
      return {
        headroom: unknown(
          signal.aborted ? 'not determined in time' : errorMessage(error).slice(0, REASON_LENGTH_MAX),
        ),
      };
    }
  };

interface ServedFacts {
  readonly model: ModelFacts | Unknown;
  readonly limits: ModelLimits;
}

const servedFacts = async (
  { target, api, headers, model: name }: BenchRequest,
  { named, hub }: { readonly named: string | undefined; readonly hub: string | undefined },
  signal: AbortSignal,
): Promise<ServedFacts> => {
  const limits = await fetchModelLimits({ target, api, headers, model: name, signal });
  const servedPath = isLoopbackHost(target.server.host) ? limits.modelPath : undefined;
  const model = await servedModel(
    { named, servedPath, servedId: limits.modelId, hub, serverUrl: serverUrl(target, api) },
    signal,
  );
  return { model, limits };
};

const judged = (report: Report, node: LoadedNode | Unknown, { model, limits }: ServedFacts): JudgedPart => {
  if (isUnknown(model)) return { headroom: isUnknown(node) ? node : model };
  const engine = engineOf(knownOr(report.run.serverKind, ''));
  const { calibrations, note } = isUnknown(node)
    ? { calibrations: [], note: '' }
    : ofVersion(node.calibrations, engine, limits.version);
  const { offloadedShare } = limits;
  const loaded = isUnknown(node)
    ? node
    : loadedPlacement(node.view, { ...node, model, engine, calibrations, offloadedShare });
  const calibration =
    report.depth === undefined
      ? {}
      : { calibration: calibrationOf(report, { model, engine, limits, loaded }) };
  if (isUnknown(loaded)) return { headroom: loaded, ...calibration };
  const notes = [loaded.note, note].filter(text => text !== '');
  const headroom = runHeadroom({ report, model, ...loaded, notes, engine, cacheType: 'f16' });
  return { headroom, ...calibration };
};

const calibrationOf = (
  report: Report,
  {
    model,
    engine,
    limits,
    loaded,
  }: {
    readonly model: ModelFacts;
    readonly engine: Engine;
    readonly limits: ModelLimits;
    readonly loaded: LoadedPlacement | Unknown;
  },
): EngineCalibration | Unknown => {
  const { depth, run } = report;
  if (depth === undefined || !isRunId(run.id)) return unknown('no depth profile');
  if (!report.complete) return unknown('the run is not complete');
  const client = clientShareOfTokens(report);
  if (isUnknown(client)) return client;
  if (!isUnknown(loaded) && devicesOf(loaded.placement).length > 1)
    return unknown('the constants of one device cannot be derived from several devices');
  const measured = measuredEngine(depth, model, CACHE_TYPES.f16);
  if (isUnknown(measured)) return measured;
  const digest = modelDigest(model);
  return {
    ...measured,
    calibrationKey: calibrationKey([engine, knownOr(limits.version, ''), digest]),
    targetNode: unknown('recorded by the daemon'),
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
/** At the end of a run, for daemon, server and file together. */
const JUDGE_MS_MAX = 10_000;
const REASON_LENGTH_MAX = 300;

// The node that a run loaded, as the daemon of this machine sees it: by the daemon's own account of the run, with how busy each of
// its devices was meanwhile.
interface LoadedNode {
  readonly view: NodeView;
  readonly calibrations: readonly StoredCalibration[];
  readonly uses: Reported<DeviceUses>;
  readonly nowMs: number;
}

/** @throws the signal's reason. */
const loadedNode = async (
  process: ProcessState,
  { home, report, signal }: { readonly home: string; readonly report: Report; readonly signal: AbortSignal },
): Promise<LoadedNode | Unknown> => {
  const { run } = report;
  if (run.from !== undefined && isLoopbackUrl(run.target))
    return unknown('the URL means the own machine of each agent, so each agent loaded a different one');
  try {
    const client = await findDaemon(home, process);
    const { state } = await clusterNow(client, systemClock, signal);
    const nowMs = systemClock.nowMs();
    const target = isRunId(run.id)
      ? Object.values(state.runs).flatMap(runs => runs[run.id]?.value.targetNode ?? [])[0]
      : undefined;
    if (target === undefined) return unknown('the daemon has no record of the run');
    if (isUnknown(target))
      return unknown(`the machine at the URL is not a node of the cluster: ${target.reason}`);
    const view = nodeView(state, target, nowMs);
    const devices = view.gpus.reduce((sum, vendor) => sum + vendor.devices.length, 0);
    return {
      view,
      calibrations: nodeCalibrations(state, target, nowMs),
      uses:
        devices < 2
          ? unknown('not queried, because the node has at most one device')
          : await usesOf(client, target, report, signal),
      nowMs,
    };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return unknown('no daemon runs here that has measured the machine: plimsoll up');
  }
};

/** From its last quarter of an hour, of which the run is the end. */
const usesOf = async (
  client: DaemonClient,
  node: NodeId,
  { windowNs }: Report,
  signal: AbortSignal,
): Promise<Reported<DeviceUses>> => {
  if (isUnknown(windowNs)) return windowNs;
  const answer = await client.answer(historyAnswerSchema, `/api/history?node=${node}`, signal);
  return 'series' in answer
    ? usesDuring(answer, windowNs / SECOND_NS)
    : unknown('the daemon keeps no history of its devices');
};

const isLoopbackUrl = (url: string): boolean =>
  URL.canParse(url) && isLoopbackHost(new URL(url).hostname.replace(/^\[|\]$/g, ''));

const SECOND_NS = 1e9;
