// What is wrong, cell by cell and cable by cable, as data that a map can place: from the same limits as the
// warnings, so that no code parses their sentences.

import type { NodeId } from '../ids.ts';
import { FAILED_GPU_STATES, failedGpuLabel, failedGpuState } from '../node/failed-gpu.ts';
import { HEALTH_CODES } from '../node/gpu-health.ts';
import {
  gpuMemoryUse,
  gpusOf,
  hostMemoryUse,
  ownMemoryGpus,
  SAFE_LOAD,
  usedShare,
} from '../node/memory-use.ts';
import type { GpuView, NodeView } from '../node/node-view.ts';
import { knownValue } from '../node/reading-view.ts';
import { pushAll } from '../push-all.ts';
import { isKnown, knownOr } from '../unknown.ts';
import { BUSY_SHARE } from '../warnings/machine-warnings.ts';
import { SWAP_NOTABLE_BYTES } from '../warnings/memory-warnings.ts';
import { type Warning, warningSort } from '../warnings/warning.ts';
import type { FaultLevel, LinkFault } from './cable-fault.ts';

export type FleetFault = NodeFault | LinkFault;

type NodeFault = { readonly id: string; readonly level: FaultLevel; readonly node: NodeId } & (
  | {
      readonly kind: 'gone';
      readonly isStale: boolean /** On this process's clock; missing: never seen. */;
      readonly sinceMs?: number;
    }
  | {
      readonly kind: 'over';
      readonly share: number;
      readonly swappedBytes: number /** Memory of a GPU with its own memory. */;
      readonly gpu?: number;
    }
  | {
      readonly kind: 'hot';
      readonly gpu: number;
      readonly celsius?: number;
      readonly reasons: readonly string[];
    }
  /** A GPU that is lost or must be reset, or whose memory or links are failing. */
  | {
      readonly kind: 'gpu';
      /** "GPU 1", or what is known of its name. */
      readonly gpu: string;
      /** "lost", "2 uncorrected memory errors" */
      readonly what: string;
      /** One sentence. */
      readonly why: string;
    }
);

/** @param ofLinks what is wrong with links, in link order. */
export const fleetFaults = (
  views: readonly NodeView[],
  ofLinks: readonly LinkFault[],
  nowMs: number,
): readonly FleetFault[] => {
  const found = [...views.flatMap(view => nodeFaults(view, nowMs)), ...ofLinks];
  return [
    ...found.filter(({ level }) => level === 'danger'),
    ...found.filter(({ level }) => level === 'caution'),
  ];
};

/** Warnings of other kinds: a fleet lists them below its faults. */
export const otherWarnings = (warnings: readonly Warning[]): readonly Warning[] =>
  warnings.filter(warning => !SHOWN_AS_FAULTS.has(warningSort(warning).replace(/^\S+ /, '')));

const nodeFaults = (view: NodeView, nowMs: number): readonly NodeFault[] => {
  const node = view.nodeId;
  // A node that was stopped on purpose is away, not broken.
  if (view.presence === 'offline') return view.stoppedMs === undefined ? [goneFault(view, nowMs)] : [];
  const found: NodeFault[] = view.presence === 'stale' ? [goneFault(view, nowMs)] : [];
  pushAll(found, [...gpuFaults(view), ...overFault(view)]);
  for (const gpu of gpusOf(view)) pushAll(found, hotFault(node, gpu));
  return found;
};

const gpuFaults = ({ nodeId: node, gpus }: NodeView): readonly NodeFault[] =>
  gpus.flatMap(({ failed, devices }): readonly NodeFault[] => [
    ...failed.map(
      (gpu): NodeFault => ({
        id: `gpu ${node} ${gpu.deviceId} ${gpu.state}`,
        kind: 'gpu',
        level: 'danger',
        node,
        gpu: isKnown(gpu.index) ? `GPU ${gpu.index}` : failedGpuLabel(gpu),
        what: failedGpuState(gpu),
        why: `Reason: ${gpu.reason}.`,
      }),
    ),
    ...devices.flatMap(({ device, findings }) =>
      findings.map(
        ({ code, level, what, why }): NodeFault => ({
          id: `gpu ${node} ${device.deviceId} ${code}`,
          kind: 'gpu',
          level,
          node,
          gpu: `GPU ${device.index}`,
          what,
          why,
        }),
      ),
    ),
  ]);

const hotFault = (node: NodeId, gpu: GpuView): readonly NodeFault[] => {
  const reasons = gpu.load === undefined || gpu.isLoadStale ? [] : knownOr(gpu.load.throttleReasons, []);
  if (reasons.length === 0 || knownOr(gpu.load?.use ?? 0, 0) < BUSY_SHARE) return NO_FAULTS;
  const celsius = gpu.load === undefined ? undefined : knownOr(gpu.load.temperatureCelsius, undefined);
  const { index, deviceId } = gpu.device;
  return [
    {
      id: `hot ${node} ${deviceId}`,
      kind: 'hot',
      level: 'caution',
      node,
      gpu: index,
      reasons: reasons.slice(0, REASONS_MAX),
      ...(celsius === undefined ? {} : { celsius }),
    },
  ];
};

const goneFault = ({ nodeId, presence, silentMs }: NodeView, nowMs: number): NodeFault => ({
  id: `gone ${nodeId}`,
  kind: 'gone',
  level: presence === 'offline' ? 'danger' : 'caution',
  node: nodeId,
  isStale: presence === 'stale',
  ...(Number.isFinite(silentMs) ? { sinceMs: nowMs - silentMs } : {}),
});

/** The fullest memory of the host and its GPUs represents the node. */
const overFault = (view: NodeView): readonly NodeFault[] => {
  const memory = knownValue(view.memory);
  const swapped = memory === undefined ? 0 : knownOr(memory.swapUsedBytes, 0);
  const swappedBytes = swapped >= SWAP_NOTABLE_BYTES ? swapped : 0;
  const hostShare = usedShare(hostMemoryUse(view)) ?? 0;
  const isHostOver = hostShare > SAFE_LOAD;
  let fullest: { readonly share: number; readonly gpu?: number } | undefined = isHostOver
    ? { share: hostShare }
    : undefined;
  for (const gpu of ownMemoryGpus(view)) {
    const share = usedShare(gpuMemoryUse(gpu)) ?? 0;
    if (share > (fullest?.share ?? SAFE_LOAD)) fullest = { share, gpu: gpu.device.index };
  }
  if (fullest === undefined) return NO_FAULTS;
  return [
    {
      id: `over ${view.nodeId}`,
      kind: 'over',
      level: isHostOver && swappedBytes > 0 ? 'danger' : 'caution',
      node: view.nodeId,
      swappedBytes: isHostOver ? swappedBytes : 0,
      ...fullest,
    },
  ];
};

export const nodesOfFault = (fault: FleetFault): readonly NodeId[] =>
  'nodes' in fault ? fault.nodes : [fault.node];

/** Prefixes of the ids of warnings that the map shows as a fault or a state. */
const SHOWN_AS_FAULTS: ReadonlySet<string> = new Set([
  'presence',
  'stopped',
  'memory',
  'gpu memory',
  'throttled',
  'link short',
  'link lost',
  ...FAILED_GPU_STATES.map(state => `gpu ${state}`),
  ...HEALTH_CODES.map(code => `gpu ${code}`),
]);
const REASONS_MAX = 3;
const NO_FAULTS: readonly NodeFault[] = [];

export const isSwapNotable = (swappedBytes: number): boolean => swappedBytes >= SWAP_NOTABLE_BYTES;
