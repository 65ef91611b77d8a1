// The cluster once, for a terminal or a pipe: a row per node, a row per link, and below them warnings: what is stale,
// what is missing and why.

import { counted } from '../core/figure/figure.ts';
import { isCarrying, type LinkView } from '../core/link/link-view.ts';
import { engineName, inFlightText, modelsText } from '../core/node/engines.ts';
import { type NodeView, presenceLabel } from '../core/node/node-view.ts';
import { readingName, readingsOf } from '../core/node/reading-rows.ts';
import { knownValue } from '../core/node/reading-view.ts';
import { type Sentences, sentencesOf } from '../core/problem.ts';
import type { State } from '../core/state.ts';
import { inColumns } from '../core/text/columns.ts';
import { isUnknown, type Reported } from '../core/unknown.ts';
import type { Warning } from '../core/warnings/warning.ts';
import { type ClusterScope, scopedCluster, scopeLinks, scopeTable, WHOLE_CLUSTER } from './cluster-scope.ts';
import { brokenLine } from './layout.ts';
import type { NodeField } from './node-table.ts';
import { type Line, paint, part } from './part.ts';
import type { RenderOptions } from './render.ts';

export interface StatusOptions extends RenderOptions {
  /** Sentences are wrapped between words; a pipe has whole lines. */
  readonly isTerminal?: boolean;
  /** The screen shows nothing past its last column, so commands are wrapped too. Default: the terminal wraps those. */
  readonly isCutAtEdge?: boolean;
  /** Default: every node, one by one. */
  readonly scope?: ClusterScope;
  /** Only these columns of nodes, and nothing else. */
  readonly fields?: readonly NodeField[] | undefined;
}

export const renderStatus = (
  state: State,
  nowMs: number,
  reported: readonly Sentences[],
  options: StatusOptions,
): readonly string[] => {
  const scope = options.scope ?? WHOLE_CLUSTER;
  const table = { ...options, state, nowMs, by: scope.by };
  const shown = scopedCluster(state, nowMs, scope);
  const { views, links, warnings, nothing } = shown;
  if (nothing !== undefined) return [nothing];
  if (options.fields !== undefined)
    return scopeTable(shown, { ...table, rowsMax: Number.POSITIVE_INFINITY }).map(line =>
      paint(line, options),
    );
  const lines = [
    ...scopeTable(shown, { ...table, rowsMax: Number.POSITIVE_INFINITY }),
    ...spaced(scopeLinks(shown, { ...table, rowsMax: LINK_ROWS_MAX })),
    ...spaced(sentences(engineLines(views), options)),
    ...spaced(views.length === 1 ? [] : sentences([clusterLine(views, links)], options)),
    ...spaced(sentences(agentLines(state, views), options)),
    ...spaced(
      warnings.flatMap(warning => {
        const [sentence = [], ...command] = warningLines(warning);
        const isCut = options.isCutAtEdge === true;
        return [...sentences([sentence], options), ...(isCut ? sentences(command, options) : command)];
      }),
    ),
    ...spaced(sentences(views.flatMap(unknownReadings), options)),
    ...spaced(sentences(reported.flatMap(statusLines), options)),
  ];
  return lines.map(line => paint(line, options));
};

const sentences = (
  lines: readonly Line[],
  { columns, isTerminal, isCutAtEdge }: StatusOptions,
): readonly Line[] =>
  isTerminal === true || isCutAtEdge === true ? lines.flatMap(line => brokenLine(line, columns)) : lines;

const spaced = (lines: readonly Line[]): readonly Line[] => (lines.length === 0 ? [] : [[], ...lines]);

/** What a daemon reports about itself. */
export const statusLines = (reported: Sentences): readonly Line[] =>
  sentencesOf(reported).map(text => [part(text, 'caution')]);

/** The command on a line of its own, to be copied. */
export const warningLines = ({ level, title, why, on, command }: Warning): readonly Line[] => [
  [part(`${title}. ${why}`, level === 'danger' ? 'bad' : level === 'caution' ? 'caution' : 'dim')],
  ...(command === undefined ? [] : [[part(`  On ${on ?? 'any node'}: `, 'dim'), part(command)]]),
];

/**
 * "3 nodes: 2 up, 1 stopped · 4 connections of 2 links". A link has as many connections as its ends have addresses,
 * each in one direction.
 */
const clusterLine = (views: readonly NodeView[], known: readonly LinkView[]): Line => {
  const presences = PRESENCES.flatMap(wanted => {
    const count = views.filter(view => presenceLabel(view) === wanted).length;
    return count === 0 ? [] : [`${count} ${wanted}`];
  });
  const links = known.filter(({ standing }) => isCarrying(standing));
  const connections = links.reduce((sum, link) => sum + link.connections.length, 0);
  const ways =
    connections === 0
      ? 'no connections'
      : `${counted(connections, 'connection')} of ${counted(links.length, 'link')}`;
  return [part(`${counted(views.length, 'node')}: ${presences.join(', ')} · ${ways}`, 'dim')];
};

/** Servers of models, with what a load of them is called. */
const engineLines = (views: readonly NodeView[]): readonly Line[] => {
  const rows = views.flatMap(view => {
    const engines = view.presence === 'offline' ? [] : (knownValue(view.engines)?.engines ?? []);
    return engines.map(engine => [
      view.name,
      engineName(engine),
      reasonOr(modelsText(engine)),
      reasonOr(inFlightText(engine)),
      engine.origin,
    ]);
  });
  const rest = rows.length - ENGINE_ROWS_MAX;
  return [
    ...inColumns(rows.slice(0, ENGINE_ROWS_MAX), { indent: 0 }).map((text): Line => [part(text)]),
    ...(rest > 0 ? [[part(`and ${counted(rest, 'more engine')}`, 'dim')]] : []),
  ];
};

const reasonOr = (text: Reported<string>): string => (isUnknown(text) ? `unknown: ${text.reason}` : text);

/** Nodes that `bench --from` may name. */
const agentLines = (state: State, views: readonly NodeView[]): readonly Line[] => {
  const names = views
    .filter(
      ({ nodeId, presence }) => presence !== 'offline' && state.nodeConfigs[nodeId]?.value.makesLoad === true,
    )
    .map(({ name }) => name);
  if (names.length === 0) return [];
  const reported = names.slice(0, AGENTS_REPORTED_MAX).join(', ');
  const rest = names.length - AGENTS_REPORTED_MAX;
  return [[part(`Generate load for others: ${reported}${rest > 0 ? ` and ${rest} more` : ''}`, 'dim')]];
};

/** Unavailable readings, with the reason; what a machine does not have is not a problem. */
const unknownReadings = (view: NodeView): readonly Line[] => {
  if (view.presence === 'offline') return [];
  return readingsOf(view).flatMap((reading): Line[] =>
    reading.view.kind === 'unavailable'
      ? [[part(`${view.name}: ${readingName(reading)} unknown: ${reading.view.reason}`, 'dim')]]
      : [],
  );
};

const PRESENCES = ['up', 'stale', 'stopped', 'offline'] as const;
/** A status is read, not searched: `--json` has them all. */
const LINK_ROWS_MAX = 100;
const ENGINE_ROWS_MAX = 32;
const AGENTS_REPORTED_MAX = 8;
