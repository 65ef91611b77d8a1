// What a person should look at, from what is known now: serious things first. A warning says what, why it matters, and
// which command helps where there is one.

import { formatAge } from '../../../src/core/figure/duration.ts';
import { figureText, formatBytes, formatPercent } from '../../../src/core/figure/figure.ts';
import type { NodeView } from '../../../src/core/selectors.ts';
import type { State } from '../../../src/core/state.ts';
import { knownOr } from '../../../src/core/unknown.ts';
import type { Warning as ClusterWarning } from '../../../src/core/warnings/warning.ts';
import { SAFE_LOAD } from '../drawing/vessel.ts';
import { held } from '../node/held.ts';
import type { MemoryUse } from '../node/node-load.ts';
import { gpuMemoryUse, hostMemoryUse, ownMemoryGpus, share } from '../node/node-load.ts';
import { readingRows } from '../node/reading-rows.ts';

/** As core has it; what the page adds of itself concerns no node. */
export type Warning = Omit<ClusterWarning, 'nodes'>;

export interface WarningSources {
  readonly state: State;
  readonly views: readonly NodeView[];
  /** Of cables, links and machines, by core's selectors. */
  readonly cluster: readonly ClusterWarning[];
  /** What the daemon says of itself. */
  readonly notices: readonly string[];
  /** The daemon behind this page was replaced by one of another version. */
  readonly newVersion: string | undefined;
}

export const warnings = ({
  state,
  views,
  cluster,
  notices,
  newVersion,
}: WarningSources): readonly Warning[] => {
  // Memory past its load line speaks of swap already.
  const swapTold = new Set(views.filter(isPastLoadLine).map(({ nodeId }) => `swap ${nodeId}`));
  const found: readonly Warning[] = [
    ...notices.map(noticeWarning),
    ...(newVersion === undefined ? [] : [versionWarning(newVersion)]),
    ...cluster.filter(({ id }) => !swapTold.has(id)),
    ...views.flatMap(view => [
      ...presenceWarnings(view),
      ...conflictWarnings(view),
      ...memoryWarnings(view),
      ...diskWarnings(view),
      ...(view.presence === 'live' ? staleWarnings(state, view) : []),
      ...unknownKindWarnings(view),
    ]),
    ...(views.length === 1 ? aloneNotes(views) : []),
  ];
  return [
    ...found.filter(({ level }) => level === 'danger'),
    ...found.filter(({ level }) => level === 'caution'),
    ...found.filter(({ level }) => level === 'note'),
  ];
};

const noticeWarning = (notice: string): Warning => {
  const end = notice.search(/[:.;]\s/);
  const title = end > 0 && end <= 80 ? notice.slice(0, end) : 'Notice from this node';
  return {
    id: `notice ${notice}`,
    level: 'caution',
    title: title.replace(/^[a-z](?=[a-z]*\b(?!\.))/, letter => letter.toUpperCase()),
    why: title === 'Notice from this node' ? notice : notice.slice(end + 1).trim(),
  };
};

const versionWarning = (version: string): Warning => ({
  id: `version ${version}`,
  level: 'caution',
  title: `Plimsoll was updated to ${version}`,
  why: 'This page still runs the version before. Reload it.',
});

const presenceWarnings = ({ nodeId, name, presence, silentMs }: NodeView): readonly Warning[] => {
  if (presence === 'live') return [];
  return [
    {
      id: `presence ${nodeId}`,
      level: presence === 'offline' ? 'danger' : 'caution',
      title:
        presence === 'offline'
          ? Number.isFinite(silentMs)
            ? `${name} stopped answering ${age(silentMs)} ago`
            : `${name} has not answered yet`
          : `${name} is silent for ${age(silentMs)}`,
      why: 'Its last figures are still shown, with their age.',
      on: name,
      command: 'plimsoll status',
    },
  ];
};

const conflictWarnings = ({ nodeId, name, conflict }: NodeView): readonly Warning[] =>
  conflict === undefined
    ? []
    : [
        {
          id: `conflict ${nodeId}`,
          level: 'danger',
          title: `Two machines call themselves ${name}`,
          why: `They run from copies of one home folder, seen at ${conflict.addresses.join(' and ')}: only one of them is heard. Start the other one with a home of its own.`,
          on: 'one of them',
          command: 'plimsoll up --home ~/.plimsoll-own',
        },
      ];

const memoryWarnings = (view: NodeView): readonly Warning[] => {
  const memory = held(view.memory);
  const level = memory === undefined ? 'unknown' : knownOr(memory.pressure.level, 'unknown');
  const swappedBytes = memory === undefined ? 0 : knownOr(memory.swapUsedBytes, 0);
  const found: Warning[] = [];
  const host = pastLoadLine(hostMemoryUse(view));
  if (host !== undefined || level === 'critical') {
    const swapped =
      swappedBytes >= SWAP_BYTES_WORTH_SAYING ? `, ${figureText(formatBytes(swappedBytes))} swapped` : '';
    found.push({
      id: `memory ${view.nodeId}`,
      level: swapped !== '' || level === 'critical' ? 'danger' : 'caution',
      title: `${view.name}: memory at ${host ?? 'its limit'}${swapped}`,
      why:
        swapped === ''
          ? `Past its load line (${SAFE_WORDS}). Nothing much is swapped yet.`
          : `Past its load line (${SAFE_WORDS}). Generation slows by an order of magnitude once weights are swapped.`,
      on: view.name,
      command: 'plimsoll status --watch',
    });
  }
  for (const gpu of ownMemoryGpus(view)) {
    const past = pastLoadLine(gpuMemoryUse(gpu));
    if (past === undefined) continue;
    found.push({
      id: `gpu memory ${view.nodeId} ${gpu.device.deviceId}`,
      level: 'caution',
      title: `${view.name}: memory of GPU ${gpu.device.index} at ${past}`,
      why: `Past its load line (${SAFE_WORDS}): a longer context or a larger batch may not fit.`,
    });
  }
  return found;
};

const isPastLoadLine = (view: NodeView): boolean =>
  memoryWarnings(view).some(({ id }) => id === `memory ${view.nodeId}`);

const diskWarnings = (view: NodeView): readonly Warning[] =>
  (held(view.disk)?.volumes ?? [])
    .filter(
      ({ totalBytes, availableBytes }) => totalBytes > 0 && availableBytes / totalBytes < DISK_FREE_SHARE_MIN,
    )
    .map(({ mountPoint, availableBytes }) => ({
      id: `disk ${view.nodeId} ${mountPoint}`,
      level: 'caution',
      title: `${view.name}: ${mountPoint} is almost full`,
      why: `${figureText(formatBytes(availableBytes))} left.`,
    }));

const staleWarnings = (state: State, view: NodeView): readonly Warning[] => {
  const stale = readingRows(state, view).filter(row => row.state === 'stale');
  const [first] = stale;
  if (first === undefined) return [];
  const reasons = [...new Set(stale.map(row => row.reason))].slice(0, STALE_REASONS_MAX).join('; ');
  const old = stale.map(row => `${row.title} ${age(row.ageMs ?? Number.NaN)}`).join(', ');
  return [
    {
      id: `stale ${view.nodeId} ${stale.map(row => row.key).join(' ')}`,
      level: 'caution',
      title: `${view.name}: ${stale.length === 1 ? `${first.title} is stale` : `${stale.length} readings are stale`}`,
      why: `${reasons}. Age: ${old}. The last figures are still shown.`,
      on: view.name,
      command: 'plimsoll doctor',
    },
  ];
};

const unknownKindWarnings = ({ nodeId, name, unknownKinds }: NodeView): readonly Warning[] =>
  unknownKinds.length === 0
    ? []
    : [
        {
          id: `kinds ${nodeId} ${unknownKinds.join(' ')}`,
          level: 'caution',
          title: `${name} runs a newer Plimsoll`,
          why: `It tells things that this version does not know: ${unknownKinds.join(', ')}. They are kept and passed on, but not shown.`,
        },
      ];

const ALONE: Warning = {
  id: 'alone',
  level: 'note',
  title: 'This is the only node so far',
  why: 'Another machine joins with the same cluster key. This makes the key and prints the line to run there; start the daemon again afterwards. Where no multicast gets through, name this machine there with --peer.',
  command: 'plimsoll key new && plimsoll key show --join',
};

const DEMO: Warning = {
  id: 'demo',
  level: 'note',
  title: 'What a cluster looks like',
  why: 'The demo simulates eight machines of five kinds, with their links, and a benchmark; nothing of it touches this node.',
  command: 'plimsoll demo',
};

const aloneNotes = (views: readonly NodeView[]): readonly Warning[] =>
  views.some(view => held(view.identity)?.isSimulated === true) ? [ALONE] : [ALONE, DEMO];

const pastLoadLine = (use: MemoryUse | undefined): string | undefined => {
  const part = share(use);
  return part !== undefined && part > SAFE_LOAD ? figureText(formatPercent(part)) : undefined;
};

const age = (ageMs: number): string => figureText(formatAge(ageMs));

const SAFE_WORDS: string = figureText(formatPercent(SAFE_LOAD));
const STALE_REASONS_MAX = 3;
const SWAP_BYTES_WORTH_SAYING = 256e6;
const DISK_FREE_SHARE_MIN = 0.05;
