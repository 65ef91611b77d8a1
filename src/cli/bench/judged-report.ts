// A finished run next to the bound of the machine that it loaded, and the engine constants that a depth profile gives. Loaded
// late: it brings the views of the cluster and the readers of models.

import type { BenchRequest } from '../../bench/run/bench-request.ts';
import { fetchModelLimits, type ModelLimits } from '../../bench/target/fetch-model-limits.ts';
import { serverUrl } from '../../bench/target/server-pages.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { isLoopbackHost } from '../../core/address/host-port.ts';
import { serverEngine } from '../../core/engine/server-engines.ts';
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
import type { Report } from '../../core/run/report.ts';
import { isUnknown, knownOr, type Reported, type Unknown, unknown } from '../../core/unknown.ts';
import { calibrationKey, modelDigest, servedModel } from '../../model/served-model.ts';
import { historyAnswerSchema } from '../../wire/api/history-answers.ts';
import { clusterNow } from '../cluster-stream.ts';
import { CommandError } from '../command-error.ts';
import type { DaemonClient } from '../daemon-client.ts';
import { loadedNodeId } from './run-power.ts';

/** The parts of a report that are added to its figures. */
export type JudgedPart = Pick<Report, 'headroom' | 'calibration'>;

interface JudgeContext {
  readonly factsOf: (signal: AbortSignal) => Promise<ServedFacts>;
  readonly signal: AbortSignal;
  readonly withoutDaemon: Unknown;
}

export const judgedReport = async (
  report: Report,
  daemon: DaemonClient | Unknown,
  context: JudgeContext,
): Promise<JudgedPart> => {
  const node = isUnknown(daemon) ? daemon : await loadedNode(daemon, report, context);
  return isUnknown(node) && report.depth === undefined
    ? { headroom: node }
    : judged(report, node, await context.factsOf(context.signal));
};

export interface ServedFacts {
  readonly model: ModelFacts | Unknown;
  readonly limits: ModelLimits;
}

export const servedFacts = async (
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
  const engine = serverEngine(knownOr(report.run.serverKind, ''))?.family ?? 'other';
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
  client: DaemonClient,
  report: Report,
  { signal, withoutDaemon }: JudgeContext,
): Promise<LoadedNode | Unknown> => {
  try {
    const { state } = await clusterNow(client, systemClock, signal);
    const nowMs = systemClock.nowMs();
    const target = loadedNodeId(state, report.run.id);
    if (isUnknown(target)) return target;
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
    return withoutDaemon;
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

const SECOND_NS = 1e9;
