// Whether a node is in use now, so that probes wait: a benchmark or a server with requests in flight, by
// lease, or a busy GPU.

import { counted } from '../figure/figure.ts';
import type { NodeId } from '../ids.ts';
import { nodeName } from '../node/node-view.ts';
import { readingView } from '../node/reading-view.ts';
import { activeLeases, originOfLease } from '../run/run-selectors.ts';
import type { State } from '../state.ts';
import { isKnown } from '../unknown.ts';

/**
 * A GPU with a kernel running for this share of the time is in use. A desktop's compositor and a video stay below;
 * inference of one stream is far above.
 */
const GPU_BUSY_USE_MIN = 0.25;

/** As text, or undefined if nothing is active. A lease older than 10 s does not count. */
export const activityOn = (
  state: State,
  node: NodeId,
  nowMs: number,
  options: { readonly ignoresGpuLoad?: boolean } = {},
): string | undefined =>
  benchmarkOn(state, node, nowMs) ??
  serverOn(state, node, nowMs) ??
  (options.ignoresGpuLoad === true ? undefined : busyGpuOn(state, node, nowMs));

/**
 * A run has two ends, and a probe at either of them disturbs its figures: its target, and the machine that
 * sends.
 */
export const benchmarkOn = (state: State, node: NodeId, nowMs: number): string | undefined => {
  for (const { reporter, runner } of activeLeases(state, nowMs)) {
    if (runner.source !== 'run') continue;
    if (runner.targetNode === node) return `a benchmark runs against ${nodeName(state, node)}`;
    if (reporter === node) return `a benchmark runs on ${nodeName(state, node)}`;
  }
  return undefined;
};

const serverOn = (state: State, node: NodeId, nowMs: number): string | undefined => {
  for (const { runner } of activeLeases(state, nowMs)) {
    const { source, targetNode, requestsInFlight } = runner;
    // A watcher reports 0 once, when the last request has ended.
    if (source === 'run' || targetNode !== node || requestsInFlight === 0) continue;
    const count = isKnown(requestsInFlight) ? counted(requestsInFlight, 'request') : 'requests';
    // Which one: it may claim them for ever, and then a person has to look at it.
    const origin = originOfLease(runner);
    const at = origin === undefined ? '' : `, ${origin},`;
    return `a server on ${nodeName(state, node)}${at} has ${count} in flight`;
  }
  return undefined;
};

const busyGpuOn = (state: State, node: NodeId, nowMs: number): string | undefined => {
  for (const [vendor, entry] of Object.entries(state.nodeGpuLoads[node] ?? {})) {
    const view = readingView(entry, state.readingStatuses[node]?.[`gpuLoads ${vendor}`], nowMs);
    if (view.kind !== 'current') continue;
    for (const { use } of view.value.devices) {
      if (isKnown(use) && use >= GPU_BUSY_USE_MIN)
        return `a GPU of ${nodeName(state, node)} is ${Math.round(use * 100)}% busy`;
    }
  }
  return undefined;
};
