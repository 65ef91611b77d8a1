// How much of the machine a run uses: the current load of its target, against what was measured on it. A ceiling that
// was not measured has no line; a load that no source reports is hatched, with the reason.

import type { NodeId } from '../../../src/core/ids.ts';
import { linkViews } from '../../../src/core/link/link-view.ts';
import { BANDWIDTH } from '../../../src/core/node/gpu-profile.ts';
import {
  gpusOf,
  type MemoryUse,
  modelMemoryUse,
  ownMemoryGpus,
  SAFE_LOAD,
} from '../../../src/core/node/memory-use.ts';
import { type NodeView, nodeName } from '../../../src/core/node/node-view.ts';
import { nodeVitals } from '../../../src/core/node/node-vitals.ts';
import type { State } from '../../../src/core/state.ts';
import { knownOr } from '../../../src/core/unknown.ts';
import type { TimeSeries } from '../../../src/wire/api/run-answers.ts';
import type { BoardLine } from '../chart/load-line-board.ts';

interface TargetBoard {
  readonly name: string;
  readonly unit: string;
  readonly now: number | undefined;
  /** Why `now` is not known. */
  readonly why: string;
  /** The maximum that the scale must contain in addition to the lines. */
  readonly max: number | undefined;
  /** The end of the scale for any values: there is no usage above 100 %. */
  readonly end?: number;
  readonly lines: readonly BoardLine[];
}

export interface TargetUse {
  readonly boards: readonly TargetBoard[];
  /** What is between the client and the target. */
  readonly linkText: string;
}

/** @param movedPerSecond bytes that the server counts for one device now; undefined where it counts none. */
export const targetUse = (
  state: State,
  view: NodeView,
  client: NodeId,
  { nowMs, movedPerSecond }: { readonly nowMs: number; readonly movedPerSecond: number | undefined },
): TargetUse => {
  const link = linkBoard(state, view.nodeId, client, nowMs);
  return {
    boards: [
      memoryBoard(view),
      useBoard(view),
      ...bandwidthBoard(state, view, movedPerSecond),
      ...(link === undefined ? [] : [link]),
    ],
    linkText:
      client === view.nodeId
        ? 'the client runs on this machine: its requests cross no link'
        : link === undefined
          ? `no link to ${nodeName(state, client)}, which sends the requests, has been measured`
          : 'lines are what was measured on this machine',
  };
};

const memoryBoard = (view: NodeView): TargetBoard => {
  const use: MemoryUse | undefined = modelMemoryUse(view);
  const totalBytes = use?.totalBytes;
  return {
    name: ownMemoryGpus(view).length > 0 ? 'GPU memory' : 'Memory',
    unit: 'GB',
    now: use === undefined ? undefined : use.usedBytes / 1e9,
    why: 'no source reports the memory in use',
    max: totalBytes === undefined ? undefined : totalBytes / 1e9,
    lines:
      totalBytes === undefined
        ? []
        : [{ at: (totalBytes * SAFE_LOAD) / 1e9, name: 'load line', isRing: true }],
  };
};

const useBoard = (view: NodeView): TargetBoard => {
  const hasGpu = gpusOf(view).length > 0;
  const { use } = nodeVitals(view)[hasGpu ? 'gpu' : 'cpu'];
  return {
    name: hasGpu ? 'GPU use' : 'CPU use',
    unit: '%',
    now: use === undefined ? undefined : use * 100,
    why: `no source reports the usage of the ${hasGpu ? 'GPUs' : 'processors'}`,
    max: undefined,
    end: 100,
    lines: [{ at: 100, name: 'busy', isRing: false }],
  };
};

/** Decoding reads every weight for every token: this is the ceiling that an endpoint meets first. */
const bandwidthBoard = (
  state: State,
  view: NodeView,
  movedPerSecond: number | undefined,
): readonly TargetBoard[] => {
  const profiles = Object.values(state.nodeGpuProfiles[view.nodeId] ?? {}).map(({ value }) => value);
  const kind = gpusOf(view).length > 0 ? 'gpu' : 'cpu';
  const ceilings = profiles
    .filter(profile => profile.deviceKind === kind)
    .map(profile => knownOr(profile[BANDWIDTH.figure], undefined))
    .filter(ceiling => ceiling !== undefined);
  if (ceilings.length === 0) return [];
  const together = ceilings.reduce((sum, each) => sum + each, 0) / 1e9;
  // vLLM and SGLang count for one device, and all do the same.
  const isOfOne = movedPerSecond !== undefined;
  const ceiling = isOfOne ? together / ceilings.length : together;
  return [
    {
      name: isOfOne && ceilings.length > 1 ? 'Memory traffic of a GPU' : 'Memory traffic',
      unit: 'GB/s',
      now: isOfOne ? movedPerSecond / 1e9 : undefined,
      why: 'no source reports the current traffic',
      max: isOfOne ? Math.max(ceiling, movedPerSecond / 1e9) : undefined,
      lines: [{ at: ceiling, name: 'ceiling', isRing: true }],
    },
  ];
};

/** Bytes per second by the server's own counters in the latest readings; undefined if it has none or none are recent. */
export const movedPerSecond = ({
  server,
  stepMs,
}: Pick<TimeSeries, 'server' | 'stepMs'>): number | undefined => {
  if (server === undefined) return undefined;
  const reported = server.readBytes.flatMap((read, index) =>
    read === null ? [] : [{ index, bytes: read + (server.writtenBytes[index] ?? 0) }],
  );
  const newest = reported.at(-1);
  // A counter that has never counted is off: vLLM and SGLang publish it without --enable-mfu-metrics too.
  if (newest === undefined || newest.bytes === 0 || newest.index < server.readBytes.length - 1 - POINTS_OLD)
    return undefined;
  const before = reported.findLast(({ index }) => index <= newest.index - POINTS_BETWEEN);
  if (before === undefined || newest.bytes < before.bytes) return undefined;
  return ((newest.bytes - before.bytes) / ((newest.index - before.index) * stepMs)) * 1_000;
};

const linkBoard = (state: State, target: NodeId, client: NodeId, nowMs: number): TargetBoard | undefined => {
  const link = linkViews(state, nowMs).find(({ nodes }) => nodes.includes(target) && nodes.includes(client));
  const fromTarget = link?.nodes[0] === target ? link.there : link?.back;
  if (fromTarget === undefined) return undefined;
  return {
    name: 'Link to client',
    unit: 'Gb/s',
    now: undefined,
    why: 'no source reports the current traffic',
    max: undefined,
    lines: [{ at: fromTarget.value / 1e9, name: 'ceiling', isRing: true }],
  };
};

/** Of a picture: past it the newest reading is not of now; over so many a rate is taken. */
const POINTS_OLD = 5;
const POINTS_BETWEEN = 3;
