// A node that is silent, that exists twice, whose sources have stopped, whose settings cannot be read, or that speaks of what
// this version does not know.

import { formatAge } from '../figure/duration.ts';
import { figureText } from '../figure/figure.ts';
import type { NodeView } from '../node/node-view.ts';
import { readingRows } from '../node/reading-rows.ts';
import { problemText } from '../problem.ts';
import type { State } from '../state.ts';
import type { Warning } from './warning.ts';

export const nodeWarnings = (state: State, views: readonly NodeView[]): readonly Warning[] =>
  views.flatMap(view => [
    ...presenceWarnings(view),
    ...conflictWarnings(view),
    ...(view.presence === 'live' ? staleWarnings(state, view) : []),
    ...unknownKindWarnings(view),
    ...refusedKindWarnings(view),
  ]);

const presenceWarnings = ({ nodeId, name, presence, silentMs, stoppedMs }: NodeView): readonly Warning[] => {
  if (presence === 'live') return [];
  if (stoppedMs !== undefined) {
    return [
      {
        id: `stopped ${nodeId}`,
        level: 'note',
        nodes: [nodeId],
        title: `${name} stopped ${age(stoppedMs)} ago`,
        why: 'Its daemon was told to stop, and said so. Its last figures are still shown, with their age.',
        on: name,
        command: 'plimsoll up',
      },
    ];
  }
  return [
    {
      id: `presence ${nodeId}`,
      level: presence === 'offline' ? 'danger' : 'caution',
      nodes: [nodeId],
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
          nodes: [nodeId],
          title: `Two machines call themselves ${name}`,
          why: `They run from copies of one home folder, seen at ${conflict.addresses.join(' and ')}: only one of them is heard. Start the other one with a home of its own.`,
          on: 'one of them',
          command: 'plimsoll up --home ~/.plimsoll-own',
        },
      ];

const staleWarnings = (state: State, view: NodeView): readonly Warning[] => {
  const stale = readingRows(state, view).filter(row => row.state === 'stale');
  const sources = stale.filter(row => row.key !== 'config');
  return [
    ...stale.filter(row => row.key === 'config').map(row => configWarning(view, row.reason)),
    ...(sources.length === 0 ? [] : [sourcesWarning(view, sources)]),
  ];
};

const configWarning = ({ nodeId, name }: NodeView, reason: string): Warning => ({
  id: `config ${nodeId}`,
  level: 'caution',
  nodes: [nodeId],
  title: `${name}: config.toml cannot be read`,
  why: problemText({ problem: reason, advice: 'The settings before still hold.' }),
  on: name,
  command: 'plimsoll config check',
});

const sourcesWarning = ({ nodeId, name }: NodeView, stale: ReturnType<typeof readingRows>): Warning => {
  const reasons = [...new Set(stale.map(row => row.reason))].slice(0, REASONS_MAX).join('; ');
  const old = stale.map(row => `${row.title} ${age(row.ageMs ?? Number.NaN)}`).join(', ');
  return {
    id: `stale ${nodeId} ${stale.map(row => row.key).join(' ')}`,
    level: 'caution',
    nodes: [nodeId],
    title: `${name}: ${stale.length === 1 ? `${stale[0]?.title} is stale` : `${stale.length} readings are stale`}`,
    why: `${reasons}. Age: ${old}. The last figures are still shown.`,
    on: name,
    command: 'plimsoll doctor',
  };
};

const unknownKindWarnings = ({ nodeId, name, unknownKinds }: NodeView): readonly Warning[] =>
  unknownKinds.length === 0
    ? []
    : [
        {
          id: `kinds ${nodeId} ${unknownKinds.join(' ')}`,
          level: 'caution',
          nodes: [nodeId],
          title: `${name} runs a newer Plimsoll`,
          why: `It tells things that this version does not know: ${unknownKinds.join(', ')}. They are kept and passed on, but not shown.`,
        },
      ];

const refusedKindWarnings = ({ nodeId, name, refusedKinds }: NodeView): readonly Warning[] =>
  refusedKinds.length === 0
    ? []
    : [
        {
          id: `refused ${nodeId} ${refusedKinds.map(({ kind }) => kind).join(' ')}`,
          level: 'caution',
          nodes: [nodeId],
          title: `${name} reports more than any machine has`,
          why: `Refused events: ${refusedKinds.map(({ kind, count }) => `${count} ${kind}`).join(', ')}. What was reported first is shown. A fault or a hostile program may be the cause.`,
          on: name,
          command: 'plimsoll doctor',
        },
      ];

const age = (ageMs: number): string => figureText(formatAge(ageMs));

const REASONS_MAX = 3;
