// What the page's warnings list holds: what core found in the cluster, what the daemon reports about itself, and advice
// for a node without peers. Serious ones first.

import type { NodeView } from '../../../src/core/node/node-view.ts';
import { knownValue } from '../../../src/core/node/reading-view.ts';
import type { Warning as ClusterWarning } from '../../../src/core/warnings/warning.ts';
import type { ReportedNotice } from '../../../src/wire/notice.ts';

/** As core has it; what the page adds of itself concerns no node. */
export type ListedWarning = Omit<ClusterWarning, 'nodes'>;

export interface WarningSources {
  readonly views: readonly NodeView[];
  /** Of cables, links and machines, by core's selectors. */
  readonly cluster: readonly ClusterWarning[];
  /** The notices of the daemon about itself. */
  readonly notices: readonly ReportedNotice[];
  /** The daemon behind this page was replaced by one of another version. */
  readonly newVersion: string | undefined;
}

export const warnings = ({
  views,
  cluster,
  notices,
  newVersion,
}: WarningSources): readonly ListedWarning[] => {
  const found: readonly ListedWarning[] = [
    ...notices.map(noticeWarning),
    ...(newVersion === undefined ? [] : [versionWarning(newVersion)]),
    ...cluster,
    ...(views.length === 1 ? aloneNotes(views) : []),
  ];
  return [
    ...found.filter(({ level }) => level === 'danger'),
    ...found.filter(({ level }) => level === 'caution'),
    ...found.filter(({ level }) => level === 'note'),
  ];
};

const noticeWarning = ({ id, problem, advice }: ReportedNotice): ListedWarning => ({
  id: `notice ${id} ${problem}`,
  level: 'caution',
  title: problem,
  why: advice,
});

const versionWarning = (version: string): ListedWarning => ({
  id: `version ${version}`,
  level: 'caution',
  title: `Plimsoll was updated to ${version}`,
  why: 'This page still runs the previous version. Reload it.',
});

const ALONE: ListedWarning = {
  id: 'alone',
  level: 'note',
  title: 'This is the only node so far',
  why: 'Another machine joins with the same cluster key. This command creates the key and prints the line to run there; restart the daemon afterwards. If multicast does not get through, name this machine there with --peer.',
  command: 'plimsoll key new && plimsoll key show --join',
};

const DEMO: ListedWarning = {
  id: 'demo',
  level: 'note',
  title: 'What a cluster looks like',
  why: 'The demo simulates eight machines of six kinds, their links and a benchmark, without touching this node.',
  command: 'plimsoll demo',
};

const aloneNotes = (views: readonly NodeView[]): readonly ListedWarning[] =>
  views.some(view => knownValue(view.identity)?.isSimulated === true) ? [ALONE] : [ALONE, DEMO];
