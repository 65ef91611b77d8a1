// Sources that have stopped reporting, one warning per cause: on a blocked host all readings become stale at
// once, and often a whole cluster of them. They come after the faults. Ages are shown next to figures
// everywhere; a warning is only for lasting silence, since the sources of a busy host are silent for some
// seconds from time to time.

import { formatAge } from '../figure/duration.ts';
import { counted, figureText, ofCount } from '../figure/figure.ts';
import type { NodeView } from '../node/node-view.ts';
import { type ReadingRow, readingRows } from '../node/reading-rows.ts';
import type { State } from '../state.ts';
import { plainSentence, type Sentence, sentence } from '../text/sentence.ts';
import type { FoundWarning } from './warning.ts';

export const staleWarnings = (state: State, views: readonly NodeView[]): readonly FoundWarning[] => {
  const stopped = views
    .filter(({ presence }) => presence === 'live')
    .flatMap(view => {
      const rows = readingRows(state, view).filter(hasStopped);
      const isDelayed = new Set(rows.filter(isSilent).map(({ source }) => source)).size > 1;
      return rows.map(row => ({ view, row, cause: causeOf(row, isDelayed) }));
    });
  return [...Map.groupBy(stopped, ({ cause }) => cause)].map(([cause, members]) => warningOf(cause, members));
};

interface Stopped {
  readonly view: NodeView;
  readonly row: ReadingRow;
}

/** A config that cannot be read has a warning of its own. */
const hasStopped = ({ key, state, code, ageMs, intervalMs }: ReadingRow): boolean =>
  (key !== 'config' || code === 'no-answer') &&
  state === 'stale' &&
  (ageMs ?? 0) >= Math.max(LASTING_MS_MIN, LASTING_INTERVALS * (intervalMs ?? 0));

const isSilent = ({ code }: ReadingRow): boolean => code === 'no-answer';

type Cause = `failed ${string}` | `silent ${string}` | 'late';

/** Stays the same while more readings of the cause become stale. */
const causeOf = ({ source, code }: ReadingRow, isDelayed: boolean): Cause => {
  if (code !== 'no-answer') return code === undefined ? `failed ${source}` : `failed ${source} ${code}`;
  return isDelayed ? 'late' : `silent ${source}`;
};

const warningOf = (cause: Cause, members: readonly Stopped[]): FoundWarning => {
  const nodes = [...Map.groupBy(members, ({ view }) => view)];
  const [first] = members;
  const reasons = [...new Set(members.map(({ row }) => row.reason))].slice(0, REASONS_MAX).join('; ');
  const reported = nodes.slice(0, NODES_MAX).map(([view, rows]) => {
    const ages = rows.map(({ row }) => `${row.title} ${age(row.ageMs ?? Number.NaN)}`).join(', ');
    return nodes.length === 1 ? ages : `${view.name}: ${ages}`;
  });
  const more = nodes.length > NODES_MAX ? `; and ${nodes.length - NODES_MAX} more nodes` : '';
  const why =
    cause === 'late'
      ? plainSentence(
          'Several sources are silent at once: the machine is overloaded, or its daemon is blocked',
        )
      : reasons;
  return {
    id: `stale ${cause}`,
    level: 'caution',
    nodes: nodes.map(([view]) => view.nodeId),
    title: titleOf(members, nodes.length),
    why: sentence`${why}. Age: ${reported.join('; ')}${plainSentence(more)}. The last figures are still shown.`,
    on: nodes.length === 1 ? (first?.view.name ?? '') : 'each of them',
    command: 'plimsoll doctor',
  };
};

const titleOf = (members: readonly Stopped[], nodeCount: number): Sentence => {
  const [first] = members;
  if (first === undefined) return plainSentence('');
  if (nodeCount > 1)
    return plainSentence(
      `Readings of ${counted(nodeCount, 'node')} ${ofCount(nodeCount, 'is', 'are')} stale`,
    );
  return sentence`${first.view.name}: ${plainSentence(members.length === 1 ? `${first.row.title} is stale` : `${counted(members.length, 'reading')} ${ofCount(members.length, 'is', 'are')} stale`)}`;
};

const age = (ageMs: number): string => figureText(formatAge(ageMs));

/** Silences of a busy host are shorter; a node that is completely silent becomes stale after ten seconds. */
const LASTING_MS_MIN = 15_000;
const LASTING_INTERVALS = 4;
const REASONS_MAX = 3;
const NODES_MAX = 8;
