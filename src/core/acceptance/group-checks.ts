// The fourth stage: the all-reduce of each two nodes against that of comparable pairs. A node whose pairs are all slow is named
// itself, because it would slow down every ring that it is part of. Measured pair by pair: what a ring over all takes follows from that.

import { maximumOf } from '../extremes.ts';
import { counted, ofCount } from '../figure/figure.ts';
import { isKnown } from '../unknown.ts';
import type { AcceptanceCheck, AcceptanceSources } from './acceptance-check.ts';
import type { AcceptedPath } from './accepted-path.ts';
import { type ExchangeFigure, type ExchangePair, exchangePairs } from './exchange-pairs.ts';
import { comparableLimit, type Judged, judgedFigure, medianOf, planLimit, undecided } from './limit.ts';
import { ALL_AT_ONCE_CHECK } from './load-checks.ts';
import { ringOver } from './ring-check.ts';

const pairsAt =
  (exchange: ExchangeFigure): AcceptanceCheck['judge'] =>
  (sources, planned) => {
    const pairs = exchangePairs(sources, exchange);
    return pairs.map(({ path, timeNs }) => {
      const equal = timesOf(pairs, path);
      return judgedFigure({
        subject: path.nodes.join(' and '),
        nodes: path.nodes,
        value: timeNs,
        side: 'max',
        limits: [
          ...planLimit(planned),
          ...comparableLimit(equal, { unit: 'ns', side: 'max', variation: PAIR_VARIATION, parts: 'pairs' }),
        ],
        without: `${counted(equal.length, 'pair')} of this kind ${ofCount(equal.length, 'is', 'are')} too few to compare; a plan can set a limit`,
      });
    });
  };

/** The median of its pairs against the median of comparable pairs without it. */
const nodesAt = (sources: AcceptanceSources): readonly Judged[] => {
  const pairs = exchangePairs(sources, 'allReduceNs1Mib');
  const sorts = Map.groupBy(pairs, ({ path }) => path.sort);
  return sources.nodes
    .filter(({ presence }) => presence !== 'offline')
    .flatMap(({ name }): readonly Judged[] => {
      const subject = { subject: name, nodes: [name] };
      const shares = [...sorts.values()].flatMap(equal => shareOf(equal, name));
      if (!pairs.some(({ path }) => path.nodes.includes(name))) return [];
      if (shares.length === 0) return [undecided(subject, 'too few comparable pairs with it and without it')];
      return [
        judgedFigure({
          ...subject,
          value: maximumOf(shares),
          side: 'max',
          limits: [
            {
              value: SLOW_NODE,
              from: 'comparable',
              text: 'its pairs against comparable pairs without it, medians; it slows down every ring that it is part of',
            },
          ],
          without: '',
        }),
      ];
    });
};

const shareOf = (equal: readonly ExchangePair[], name: string): readonly number[] => {
  const known = equal.flatMap(({ path, timeNs }) => (isKnown(timeNs) ? { nodes: path.nodes, timeNs } : []));
  const own = known.filter(({ nodes }) => nodes.includes(name));
  const others = known.filter(({ nodes }) => !nodes.includes(name));
  if (own.length < OWN_PAIRS_MIN || others.length < OTHER_PAIRS_MIN) return [];
  return [medianOf(own.map(({ timeNs }) => timeNs)) / medianOf(others.map(({ timeNs }) => timeNs))];
};

const timesOf = (pairs: readonly ExchangePair[], { sort }: AcceptedPath): readonly number[] =>
  pairs.flatMap(({ path, timeNs }) => (path.sort === sort && isKnown(timeNs) ? timeNs : []));

const THRESHOLD =
  '150 % of the median of pairs over paths of its kind between such processors, more where they differ more, never above 200 %.';

export const GROUP_CHECKS: readonly AcceptanceCheck[] = [
  {
    id: 'all-reduce-16kib',
    stage: 'groups',
    title: 'All-reduce of two, 16 KiB',
    unit: 'ns',
    threshold: THRESHOLD,
    plan: 'max',
    judge: pairsAt('allReduceNs16Kib'),
  },
  {
    id: 'all-reduce-1mib',
    stage: 'groups',
    title: 'All-reduce of two, 1 MiB',
    unit: 'ns',
    threshold: THRESHOLD,
    plan: 'max',
    judge: pairsAt('allReduceNs1Mib'),
  },
  {
    id: 'all-reduce-node',
    stage: 'groups',
    title: 'Node in the all-reduce',
    unit: 'share',
    threshold:
      'The median of its pairs at 1 MiB is at most 140 % of that of comparable pairs without it: at least two pairs with it, and one without.',
    judge: nodesAt,
  },
  {
    id: 'all-reduce-ring',
    stage: 'groups',
    title: 'All-reduce over a ring of all, 1 MiB a step',
    unit: 'ns',
    threshold:
      'Of three nodes and more, 2 (N − 1) times the slowest hop of the fastest ring, from the times of pairs. Without any one node or cable it is at least 71 % of that, unless nothing comparable is faster.',
    plan: 'max',
    judge: ringOver,
  },
  ALL_AT_ONCE_CHECK,
];

const PAIR_VARIATION = 0.5;
const SLOW_NODE = 1.4;
const OWN_PAIRS_MIN = 2;
const OTHER_PAIRS_MIN = 1;
