// The links of the cluster as a table, one row per link: its rate A→B and B→A, half its round trip, or why that is not
// known. Links that need attention come first, closed ones last.

import { formatAge, formatNanoseconds } from '../core/figure/duration.ts';
import {
  counted,
  figureText,
  formatBitsPerSecond,
  formatNominalBitsPerSecond,
  UNKNOWN_FIGURE,
} from '../core/figure/figure.ts';
import { judgedLink } from '../core/fleet/judged-link.ts';
import type { LinkEnd } from '../core/link/link-ends.ts';
import { jitterOf } from '../core/link/link-facts.ts';
import { LONG_QUEUE_NS, worstQueue } from '../core/link/link-queue.ts';
import { linkShortfall, type Shortfall } from '../core/link/link-shortfall.ts';
import { areEndsEqual, standingText, typeText } from '../core/link/link-text.ts';
import { trafficFrom } from '../core/link/link-traffic.ts';
import {
  type FigureView,
  figuresAgeMs,
  isCarrying,
  type LinkView,
  linkViews,
} from '../core/link/link-view.ts';
import { lostText, pathEndsText } from '../core/link/loss-text.ts';
import { nodeName } from '../core/node/node-view.ts';
import type { State } from '../core/state.ts';
import { isKnown, type Reported, unknown } from '../core/unknown.ts';
import { type Line, part } from './part.ts';
import { type Column, layoutTable } from './table.ts';

/** At most `rowsMax` rows; a last line has the number of further ones. None if there are no links. */
export const linkTable = (
  state: State,
  nowMs: number,
  options: { readonly columns: number; readonly rowsMax: number; readonly links?: readonly LinkView[] },
): readonly Line[] => {
  const links = (options.links ?? linkViews(state, nowMs)).toSorted(byNeed);
  if (links.length === 0) return [];
  const shown = links.length <= options.rowsMax ? links : links.slice(0, Math.max(0, options.rowsMax - 1));
  const carried = shown.map(link => carriedBothWays(state, link, nowMs));
  const isStated = carried.some(ways => ways.some(isKnown));
  const rows = shown.map((link, index) =>
    cellsOf(state, { link, carried: isStated ? (carried[index] ?? []).map(carriedCell) : [] }, nowMs),
  );
  const more = links.length - shown.length;
  // A head without a row is of no use.
  if (shown.length === 0) return [[part(`  … ${counted(more, 'link')}`, 'dim')]];
  return [
    ...layoutTable(
      COLUMNS.filter(({ title }) => isStated || !title.startsWith('now ')),
      rows,
      options.columns,
    ),
    ...(more === 0 ? [] : [[part(`  … ${more} more ${more === 1 ? 'link' : 'links'}`, 'dim')]]),
  ];
};

/** What needs a look first, closed ones last; among equals the one that carries the least of what it should, as a fleet lists them. */
export const byNeed = (a: LinkView, b: LinkView): number =>
  Number(needsLook(b)) - Number(needsLook(a)) ||
  Number(!isCarrying(a.standing)) - Number(!isCarrying(b.standing)) ||
  judgedLink(a).rank - judgedLink(b).rank ||
  (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

const needsLook = (link: LinkView): boolean =>
  link.standing.kind === 'failed' || link.lost.length > 0 || linkShortfall(link) !== undefined;

const cellsOf = (
  state: State,
  { link, carried }: { readonly link: LinkView; readonly carried: readonly Line[] },
  nowMs: number,
): readonly Line[] => {
  const [first, second] = link.nodes.map(id => nodeName(state, id));
  const short = linkShortfall(link);
  const { roundTrip } = link.last;
  return [
    [mark(link, short), part(first ?? '', 'strong')],
    [part(second ?? '', 'strong')],
    [part(typeText(link.best))],
    endsCell(link),
    rateCell(link.last.there, short?.direction === 'there' || short?.direction === 'both'),
    rateCell(link.last.back, short?.direction === 'back' || short?.direction === 'both'),
    timeCell(roundTrip, roundTrip?.value),
    timeCell(roundTrip, roundTrip === undefined ? undefined : jitterOf(roundTrip.of)),
    queueCell(link),
    ...carried,
    [noteOf(link, nowMs)],
  ];
};

const mark = (link: LinkView, short: Shortfall | undefined): Line[number] => {
  if (!isCarrying(link.standing)) return part('× ', 'bad');
  if (link.standing.kind === 'failed' || link.lost.length > 0 || short !== undefined)
    return part('! ', 'caution');
  if (link.isMeasuring) return part('… ', 'plain');
  return link.isStale ? part('○ ', 'caution') : part(link.standing.kind === 'measured' ? '● ' : '– ', 'good');
};

/** What each end reports about its own interface, in the order of the names; once if both are the same. */
const endsCell = ({ best, nodes }: LinkView): Line => {
  const { source, sink } = best.carrier.ends;
  const [first, second] = (best.source === nodes[0] ? [source, sink] : [sink, source]).map(endRate);
  return [part(areEndsEqual(best.carrier) ? `${first}` : `${first} – ${second}`, 'dim')];
};

const endRate = ({ negotiatedBitsPerSecond: rate }: LinkEnd): string =>
  isKnown(rate) && rate > 0 ? figureText(formatNominalBitsPerSecond(rate)) : '?';

const rateCell = (figure: FigureView | undefined, isShort: boolean): Line =>
  figure === undefined
    ? [part(UNKNOWN_FIGURE.figure, 'dim')]
    : [part(figureText(formatBitsPerSecond(figure.value)), isShort ? 'caution' : toneOf(figure))];

/** By the counters of the ports of the connection whose figures are shown. */
const carriedBothWays = (
  state: State,
  { best, there, back, nodes, standing }: LinkView,
  nowMs: number,
): readonly Reported<number>[] =>
  !isCarrying(standing)
    ? [GONE, GONE]
    : [
        trafficFrom(state, there?.of ?? best, nodes[0], nowMs).mostBitsPerSecond,
        trafficFrom(state, back?.of ?? best, nodes[1], nowMs).mostBitsPerSecond,
      ];

/** A bound: what else uses the ports is in their counters. */
const carriedCell = (most: Reported<number>): Line =>
  isKnown(most) ? [part(`≤ ${figureText(formatBitsPerSecond(most))}`)] : [part(UNKNOWN_FIGURE.figure, 'dim')];

/** Half of a time of round trips, ns. */
const timeCell = (figure: FigureView | undefined, value: number | undefined): Line =>
  figure === undefined || value === undefined
    ? [part(UNKNOWN_FIGURE.figure, 'dim')]
    : [part(figureText(formatNanoseconds(value / 2)), toneOf(figure))];

/** What a queue adds to a round trip under load: of the connection and direction where that is longest. */
const queueCell = (link: LinkView): Line => {
  const worst = isCarrying(link.standing) ? worstQueue(link) : undefined;
  if (worst === undefined) return [part(UNKNOWN_FIGURE.figure, 'dim')];
  const text = `+${figureText(formatNanoseconds(worst.queueNs))}`;
  return [part(text, worst.queueNs >= LONG_QUEUE_NS ? 'caution' : link.isStale ? 'dim' : 'plain')];
};

/** What is lost or failed, or why there is no figure; and the age of the figures. */
const noteOf = (link: LinkView, nowMs: number): Line[number] => {
  const ageMs = figuresAgeMs(link, nowMs);
  const age = ageMs === undefined ? '' : figureText(formatAge(ageMs));
  const [lost] = link.lost;
  const old = age === '' ? '' : `, measured ${age} ago`;
  if (lost !== undefined) {
    if (!isCarrying(link.standing)) return part(`${lostText(lost, nowMs)}${old}`, 'bad');
    // What matters comes first: a narrow terminal cuts the end.
    const path = `${typeText(lost.of)} ${pathEndsText(lost.of, link.nodes)}`;
    return part(`${age === '' ? '' : `${age}; `}${lostText(lost, nowMs)}: ${path}`, 'bad');
  }
  const why = standingText(link);
  if (why !== '') return part(`${why}${old}`, link.standing.kind === 'failed' ? 'caution' : 'dim');
  const failure = [link.there, link.back, link.roundTrip].find(figure => figure?.of.failure !== undefined)?.of
    .failure;
  if (failure !== undefined) return part(`${age} old, failed: ${failure}`, 'caution');
  return link.isMeasuring ? part(`${age}, measuring`, 'plain') : part(age, link.isStale ? 'caution' : 'dim');
};

const toneOf = ({ isStale }: FigureView): Line[number]['tone'] => (isStale ? 'dim' : 'plain');

const COLUMNS: readonly Column[] = [
  { title: '  A', isNumber: false, widthMax: 20, rank: 0 },
  { title: 'B', isNumber: false, widthMax: 18, rank: 0 },
  { title: 'Type', isNumber: false, widthMax: 22, rank: 3 },
  { title: 'Ends', isNumber: false, widthMax: 20, rank: 5 },
  { title: 'A→B', isNumber: true, widthMax: 10, rank: 0 },
  { title: 'B→A', isNumber: true, widthMax: 10, rank: 0 },
  { title: 'RTT/2', isNumber: true, widthMax: 8, rank: 1 },
  { title: 'Jitter/2', isNumber: true, widthMax: 8, rank: 4 },
  { title: 'Loaded', isNumber: true, widthMax: 9, rank: 4 },
  { title: 'now A→B', isNumber: true, widthMax: 12, rank: 3 },
  { title: 'now B→A', isNumber: true, widthMax: 12, rank: 3 },
  { title: 'Age', isNumber: false, widthMax: 40, widthMin: 14, rank: 2 },
];
const GONE = unknown('no contact');
