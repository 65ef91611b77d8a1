// A node that is silent, that exists twice, whose settings cannot be read, or that sends kinds this version does not know.

import { formatAge } from '../figure/duration.ts';
import { figureText } from '../figure/figure.ts';
import type { NodeView } from '../node/node-view.ts';
import { readingRows } from '../node/reading-rows.ts';
import { problemText } from '../problem.ts';
import type { State } from '../state.ts';
import { plainSentence, sentence } from '../text/sentence.ts';
import type { FoundWarning } from './warning.ts';

export const nodeWarnings = (state: State, views: readonly NodeView[]): readonly FoundWarning[] =>
  views.flatMap(view => [
    ...presenceWarnings(view),
    ...conflictWarnings(view),
    ...(view.presence === 'live' ? configWarnings(state, view) : []),
    ...unknownKindWarnings(view),
    ...refusedKindWarnings(view),
  ]);

const presenceWarnings = ({
  nodeId,
  name,
  presence,
  silentMs,
  stoppedMs,
}: NodeView): readonly FoundWarning[] => {
  if (presence === 'live') return [];
  if (stoppedMs !== undefined) {
    return [
      {
        id: `stopped ${nodeId}`,
        level: 'note',
        nodes: [nodeId],
        title: sentence`${name} stopped ${plainSentence(age(stoppedMs))} ago`,
        why: plainSentence(
          'Its daemon was stopped normally. Its last figures are still shown, with their age.',
        ),
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
            ? sentence`${name} stopped answering ${plainSentence(age(silentMs))} ago`
            : sentence`${name} has not answered yet`
          : sentence`${name} is silent for ${plainSentence(age(silentMs))}`,
      why: plainSentence('Its last figures are still shown, with their age.'),
      on: name,
      command: 'plimsoll status',
    },
  ];
};

const conflictWarnings = ({ nodeId, name, conflict }: NodeView): readonly FoundWarning[] =>
  conflict === undefined
    ? []
    : [
        {
          id: `conflict ${nodeId}`,
          level: 'danger',
          nodes: [nodeId],
          title: sentence`Two machines call themselves ${name}`,
          why: sentence`They run from copies of one home folder, seen at ${conflict.addresses.join(' and ')}, so only one of them is shown. Start the other with a home of its own.`,
          on: 'one of them',
          command: 'plimsoll up --home ~/.plimsoll-own',
        },
      ];

const configWarnings = (state: State, view: NodeView): readonly FoundWarning[] =>
  readingRows(state, view)
    // A config reading that is only late is handled like any other late reading.
    .filter(row => row.key === 'config' && row.state === 'stale' && row.code !== 'no-answer')
    .map(row => configWarning(view, row.reason));

const configWarning = ({ nodeId, name }: NodeView, reason: string): FoundWarning => ({
  id: `config ${nodeId}`,
  level: 'caution',
  nodes: [nodeId],
  title: sentence`${name}: config.toml cannot be read`,
  why: sentence`${problemText({ problem: reason, advice: 'The previous settings stay in effect.' })}`,
  on: name,
  command: 'plimsoll config check',
});

const unknownKindWarnings = ({ nodeId, name, unknownKinds }: NodeView): readonly FoundWarning[] =>
  unknownKinds.length === 0
    ? []
    : [
        {
          id: `kinds ${nodeId} ${unknownKinds.join(' ')}`,
          level: 'caution',
          nodes: [nodeId],
          title: sentence`${name} runs a newer Plimsoll`,
          why: sentence`It sends event kinds this version does not know: ${unknownKinds.join(', ')}. They are stored and relayed, but not shown.`,
        },
      ];

const refusedKindWarnings = ({ nodeId, name, refusedKinds }: NodeView): readonly FoundWarning[] =>
  refusedKinds.length === 0
    ? []
    : [
        {
          id: `refused ${nodeId} ${refusedKinds.map(({ kind }) => kind).join(' ')}`,
          level: 'caution',
          nodes: [nodeId],
          title: sentence`${name} reports more than any machine has`,
          why: sentence`Refused events: ${refusedKinds.map(({ kind, count }) => `${count} ${kind}`).join(', ')}. What was reported first is shown. A fault or a hostile program may be the cause.`,
          on: name,
          command: 'plimsoll doctor',
        },
      ];

const age = (ageMs: number): string => figureText(formatAge(ageMs));
