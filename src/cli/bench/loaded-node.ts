// The node that a run loaded, as the daemon of this machine sees it: by the daemon's own account of the run, with how busy each of
// its devices was meanwhile.

import { systemClock } from '../../clock/system-clock.ts';
import { isLoopbackHost } from '../../core/address/host-port.ts';
import { isRunId, type NodeId } from '../../core/ids.ts';
import type { StoredCalibration } from '../../core/model/engine-calibration.ts';
import { type DeviceUses, usesDuring } from '../../core/model/loaded-placement.ts';
import { nodeCalibrations } from '../../core/model/node-calibrations.ts';
import { type NodeView, nodeView } from '../../core/node/node-view.ts';
import type { Report } from '../../core/run/report.ts';
import { isUnknown, type Reported, type Unknown, unknown } from '../../core/unknown.ts';
import { historyAnswerSchema } from '../../wire/api/history-answers.ts';
import { clusterNow } from '../cluster-stream.ts';
import { CommandError } from '../command-error.ts';
import { type DaemonClient, findDaemon } from '../daemon-client.ts';
import type { ProcessState } from '../process-state.ts';

export interface LoadedNode {
  readonly view: NodeView;
  readonly calibrations: readonly StoredCalibration[];
  readonly uses: Reported<DeviceUses>;
  readonly nowMs: number;
}

/** @throws the signal's reason. */
export const loadedNode = async (
  process: ProcessState,
  { home, report, signal }: { readonly home: string; readonly report: Report; readonly signal: AbortSignal },
): Promise<LoadedNode | Unknown> => {
  const { run } = report;
  if (run.from !== undefined && isLoopbackUrl(run.target))
    return unknown('the URL points to each agent’s own machine, so each agent loaded a different one');
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
      uses: devices < 2 ? unknown('not asked') : await usesOf(client, target, report, signal),
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
