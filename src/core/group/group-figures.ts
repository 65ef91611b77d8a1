// The figures of a group of nodes, and of the links of two groups. One row each, in the order in which they are exported.

import type { FigureRow } from '../figure/figure-row.ts';
import type { ClusterTotals, Total } from '../totals.ts';
import type { GroupPair } from './group-pairs.ts';
import type { Group } from './group-view.ts';

/** Nothing where nothing is known: no sample is better than a zero. */
const sumOf = ({ sum, knownCount }: Total): number | undefined => (knownCount === 0 ? undefined : sum);

const total = (
  metric: string,
  figure: Exclude<keyof ClusterTotals, 'nodeCount' | 'gpuCount'>,
  help: string,
): FigureRow<Group> => ({ unit: '', help, of: ({ totals }) => sumOf(totals[figure]), metric });

export const GROUP_FIGURES: readonly FigureRow<Group>[] = [
  ...(['up', 'stale', 'stopped', 'offline'] as const).map(
    (state): FigureRow<Group> => ({
      unit: '',
      help: 'Nodes of a site, rack or kind, by state.',
      of: ({ nodes }) => nodes[state],
      metric: 'plimsoll_group_nodes',
      labels: { state },
    }),
  ),
  ...(['danger', 'caution', 'note'] as const).map(
    (level): FigureRow<Group> => ({
      unit: '',
      help: 'Warnings of the nodes of a group, by level.',
      of: ({ warnings }) => warnings[level],
      metric: 'plimsoll_group_warnings',
      labels: { level },
    }),
  ),
  {
    unit: '',
    help: 'GPUs of the nodes of a group that are not offline.',
    of: ({ totals }) => totals.gpuCount,
    metric: 'plimsoll_group_gpus',
  },
  total('plimsoll_group_memory_total_bytes', 'memoryTotalBytes', "Memory of the hosts and GPUs' own."),
  total('plimsoll_group_memory_used_bytes', 'memoryUsedBytes', 'Used memory of the hosts and GPUs.'),
  total(
    'plimsoll_group_gpu_fp16_flops_per_second',
    'gpuFlopsPerSecond',
    'Measured FP16 operations a second of the GPUs of the group.',
  ),
  total(
    'plimsoll_group_gpu_memory_read_bytes_per_second',
    'gpuMemoryBytesPerSecond',
    'Measured memory bandwidth of the GPUs of the group.',
  ),
  {
    unit: 'share',
    help: 'Mean use of the GPUs of the group.',
    of: ({ gpuUse: { sum, knownCount } }) => (knownCount === 0 ? undefined : sum / knownCount),
    metric: 'plimsoll_group_gpu_use_ratio',
  },
  {
    unit: '',
    help: 'Processes that serve or generate on the nodes of the group.',
    of: ({ runners }) => runners,
    metric: 'plimsoll_group_runners',
  },
  {
    unit: '',
    help: 'Of the runs against its nodes, over the last seconds.',
    of: ({ outputTokensPerSecond }) => sumOf(outputTokensPerSecond),
    metric: 'plimsoll_group_output_tokens_per_second',
  },
];

export const GROUP_PAIR_FIGURES: readonly FigureRow<GroupPair>[] = [
  {
    unit: '',
    help: 'Links between two groups, or within one (group and other the same).',
    of: ({ linkCount }) => linkCount,
    metric: 'plimsoll_group_pair_links',
  },
  {
    unit: 'bits/s',
    help: 'Median of the measured links of two groups, each by its slower direction.',
    of: ({ median }) => median,
    metric: 'plimsoll_group_pair_median_bytes_per_second',
  },
  {
    unit: 'bits/s',
    help: 'The slowest of these links.',
    of: ({ worst }) => worst,
    metric: 'plimsoll_group_pair_worst_bytes_per_second',
  },
];
