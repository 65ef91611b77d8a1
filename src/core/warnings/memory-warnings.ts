// Memories above their load line, swap in use, disks that are almost full.

import { figureText, formatBytes, formatPercent } from '../figure/figure.ts';
import {
  gpuMemoryUse,
  hostMemoryUse,
  type MemoryUse,
  ownMemoryGpus,
  SAFE_LOAD,
  usedShare,
} from '../node/memory-use.ts';
import type { NodeView } from '../node/node-view.ts';
import { knownValue } from '../node/reading-view.ts';
import { plainSentence, sentence } from '../text/sentence.ts';
import { shellCommand } from '../text/shell-words.ts';
import { knownOr } from '../unknown.ts';
import type { FoundWarning } from './warning.ts';

export const memoryWarnings = (views: readonly NodeView[]): readonly FoundWarning[] =>
  views.flatMap(view => {
    const host = hostWarning(view);
    // The warning about memory above its load line already mentions swap.
    return [...(host.length > 0 ? host : swapWarning(view)), ...gpuWarnings(view), ...diskWarnings(view)];
  });

const hostWarning = (view: NodeView): readonly FoundWarning[] => {
  const memory = knownValue(view.memory);
  const level = memory === undefined ? 'unknown' : knownOr(memory.pressure.level, 'unknown');
  const swappedBytes = memory === undefined ? 0 : knownOr(memory.swapUsedBytes, 0);
  const past = pastLoadLine(hostMemoryUse(view));
  if (past === undefined && level !== 'critical') return [];
  const isSwapping = swappedBytes >= SWAP_NOTABLE_BYTES;
  const swapped = isSwapping ? `, ${figureText(formatBytes(swappedBytes))} swapped` : '';
  return [
    {
      id: `memory ${view.nodeId}`,
      level: isSwapping || level === 'critical' ? 'danger' : 'caution',
      nodes: [view.nodeId],
      title: sentence`${view.name}: memory at ${plainSentence(past ?? 'its limit')}${plainSentence(swapped)}`,
      why: plainSentence(
        `${past === undefined ? 'The system reports that programs wait for memory' : `Above its load line (${SAFE_LOAD_TEXT})`}. ${isSwapping ? 'Generation slows down tenfold once weights are swapped out.' : 'Little is swapped out yet.'}`,
      ),
      on: view.name,
      ...largestPrograms(view),
    },
  ];
};

const swapWarning = (view: NodeView): readonly FoundWarning[] => {
  if (view.memory.kind !== 'current') return [];
  const { swapUsedBytes, pressure } = view.memory.value;
  const swapped = knownOr(swapUsedBytes, 0);
  if (swapped < SWAP_NOTABLE_BYTES) return [];
  const level = knownOr(pressure.level, 'normal');
  return [
    {
      id: `swap ${view.nodeId}`,
      level: level === 'critical' ? 'danger' : level === 'warning' ? 'caution' : 'note',
      nodes: [view.nodeId],
      title: sentence`${view.name}: ${plainSentence(figureText(formatBytes(swapped)))} of swap in use`,
      why: plainSentence(
        level === 'normal'
          ? 'No task waits for memory now: the swap may be left from earlier. Generation slows down tenfold if weights are swapped out.'
          : 'Programs wait for memory. Generation slows down tenfold if weights are swapped out.',
      ),
      on: view.name,
      ...largestPrograms(view),
    },
  ];
};

/** Which processes use the memory, by the system's own tool. */
const largestPrograms = (view: NodeView): { readonly command?: string } => {
  switch (knownValue(view.identity)?.operatingSystem.platform) {
    case 'macos':
      return { command: 'top -o mem' };
    case 'linux':
      return { command: 'top -o %MEM' };
    case 'windows':
      return { command: 'powershell "ps | sort WS -desc | select -first 10"' };
    default:
      return {};
  }
};

const gpuWarnings = (view: NodeView): readonly FoundWarning[] =>
  ownMemoryGpus(view).flatMap(gpu => {
    const past = pastLoadLine(gpuMemoryUse(gpu));
    if (past === undefined) return [];
    return [
      {
        id: `gpu memory ${view.nodeId} ${gpu.device.deviceId}`,
        level: 'caution',
        nodes: [view.nodeId],
        title: sentence`${view.name}: memory of GPU ${gpu.device.index} at ${plainSentence(past)}`,
        why: sentence`Above its load line (${plainSentence(SAFE_LOAD_TEXT)}): a longer context or a larger batch may not fit.`,
      },
    ];
  });

const diskWarnings = (view: NodeView): readonly FoundWarning[] =>
  (knownValue(view.disk)?.volumes ?? [])
    .filter(
      ({ totalBytes, availableBytes }) => totalBytes > 0 && availableBytes / totalBytes < DISK_FREE_SHARE_MIN,
    )
    .map(({ mountPoint, availableBytes }) => ({
      id: `disk ${view.nodeId} ${mountPoint}`,
      level: 'caution',
      nodes: [view.nodeId],
      title: sentence`${view.name}: ${mountPoint} is almost full`,
      why: sentence`${plainSentence(figureText(formatBytes(availableBytes)))} left.`,
      ...largestFolders(view, mountPoint),
    }));

/** Which folders of a volume are the largest. */
const largestFolders = (
  view: NodeView,
  mountPoint: string,
): { readonly on?: string; readonly command?: string } => {
  const platform = knownValue(view.identity)?.operatingSystem.platform;
  return platform === 'linux' || platform === 'macos'
    ? { on: view.name, command: shellCommand`sudo du -xhd 1 ${mountPoint} | sort -h` }
    : {};
};

const pastLoadLine = (use: MemoryUse | undefined): string | undefined => {
  const part = usedShare(use);
  return part !== undefined && part > SAFE_LOAD ? figureText(formatPercent(part)) : undefined;
};

const SAFE_LOAD_TEXT: string = figureText(formatPercent(SAFE_LOAD));
export const SWAP_NOTABLE_BYTES = 256e6;
const DISK_FREE_SHARE_MIN = 0.05;
