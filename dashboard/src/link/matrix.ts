// The matrix of links: from the row's node to the column's node. Nodes that fast links join stand together, with a gap
// behind each group.

import { formatFinePercent } from '../../../src/core/figure/figure.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import { shareOfExpected } from '../../../src/core/link/link-share.ts';
import { linkShortfall } from '../../../src/core/link/link-shortfall.ts';
import { standingText } from '../../../src/core/link/link-text.ts';
import { type FigureView, isCarrying, type LinkView, whyNoLink } from '../../../src/core/link/link-view.ts';
import { pushAll } from '../../../src/core/push-all.ts';
import { inNumericOrder } from '../../../src/core/text/numeric-order.ts';
import { type HeatMeasure, type HeatScale, heatScale, heatStep } from './heat.ts';
import { delayFigure, delayName, figureIn, type LinkUnits, lostCount } from './link-text.ts';

export type Cell =
  | { readonly kind: 'self' }
  | { readonly kind: 'unreachable'; readonly reported: string }
  /** It had a connection and has none now. */
  | { readonly kind: 'lost'; readonly reported: string }
  | { readonly kind: 'measuring' | 'unmeasured'; readonly reported: string }
  /** What it should carry is unknown, so there is no share: it shows its bandwidth instead, without a colour. */
  | ({ readonly kind: 'unrated' } & MeasuredCell)
  | ({ readonly kind: 'measured'; readonly step: number } & MeasuredCell);

interface MeasuredCell {
  readonly text: string;
  readonly reported: string;
  readonly isStale: boolean;
  readonly isFlagged: boolean;
  /** One of its paths is lost; the figure is of another one. */
  readonly hasLostPath: boolean;
}

export interface MatrixColumn<Id extends string = NodeId> {
  readonly id: Id;
  readonly name: string;
  /** The last of its group. */
  readonly isGroupEnd: boolean;
}

export interface Matrix<Id extends string = NodeId> {
  readonly columns: readonly MatrixColumn<Id>[];
  /** Row by row. */
  readonly cells: readonly (readonly Cell[])[];
  /** Of all measured cells, as they are written: "Gb/s"; '' where each has its own. */
  readonly unit: string;
  /** Of cells without a share: "Gb/s". */
  readonly unratedUnit: string;
  readonly scale: HeatScale;
}

interface MatrixInput {
  readonly nodes: readonly { readonly id: NodeId; readonly name: string }[];
  readonly links: readonly LinkView[];
  readonly measure: HeatMeasure;
  readonly units: LinkUnits;
  /** Of the whole cluster: in a fleet not each node measures each. */
  readonly clusterNodeCount: number;
}

export const matrixOf = ({ nodes, links, measure, units, clusterNodeCount }: MatrixInput): Matrix => {
  const columns = inGroups(nodes, links);
  const byPair = new Map(links.map(link => [link.key, link]));
  const scale = heatScale(
    measure,
    links.flatMap(link => valuesOf(link, measure)),
  );
  const cells = columns.map(from =>
    columns.map((to): Cell => {
      if (from.id === to.id) return { kind: 'self' };
      const link = byPair.get(from.id < to.id ? `${from.id} ${to.id}` : `${to.id} ${from.id}`);
      return cellOf(link, {
        from,
        to,
        measure,
        scale,
        units,
        whyNone: whyNoLink(clusterNodeCount),
      });
    }),
  );
  const unit = GIGA[units.rate];
  return { columns, cells, unit: measure === 'bandwidth' ? unit : '', unratedUnit: unit, scale };
};

/** What the cells of a link are coloured by; a delay as a round trip, however it is written. */
const valuesOf = ({ there, back, roundTrip }: LinkView, measure: HeatMeasure): readonly number[] => {
  if (measure === 'delay') return roundTrip === undefined ? [] : [roundTrip.value];
  return measure === 'share' ? [] : [there, back].flatMap(rate => rate?.value ?? []);
};

interface CellContext {
  readonly from: MatrixColumn;
  readonly to: MatrixColumn;
  readonly measure: HeatMeasure;
  readonly scale: HeatScale;
  readonly units: LinkUnits;
  readonly whyNone: string;
}

const cellOf = (
  link: LinkView | undefined,
  { from, to, measure, scale, units, whyNone }: CellContext,
): Cell => {
  const way = `${from.name} to ${to.name}`;
  if (link === undefined) return { kind: 'unreachable', reported: `${way}: ${whyNone}` };
  const isThere = link.nodes[0] === from.id;
  if (link.standing.kind === 'lost')
    return {
      kind: 'lost',
      reported: `${way}: lost${lastStatus(isThere ? link.last.there : link.last.back, units)}`,
    };
  if (!isCarrying(link.standing)) return { kind: 'unreachable', reported: `${way}: ${standingText(link)}` };
  const rate = isThere ? link.there : link.back;
  const figure = measure === 'delay' ? link.roundTrip : rate;
  const share = rate === undefined ? undefined : shareOfExpected(rate);
  const value = figure === undefined ? undefined : measure === 'share' ? share : figure.value;
  const { rate: unit, delay } = units;
  if (figure === undefined) {
    const why = standingText(link) || 'not measured';
    return { kind: link.isMeasuring ? 'measuring' : 'unmeasured', reported: `${way}: ${why}` };
  }
  const isStale = link.isStale || figure.isStale;
  const short = linkShortfall(link);
  const isFlagged = short?.direction === 'both' || short?.direction === (isThere ? 'there' : 'back');
  const hasLostPath = link.lost.length > 0;
  const remarks = `${hasLostPath ? `, ${lostCount(link)}` : ''}${isStale ? ', stale' : ''}`;
  if (value === undefined) {
    const text = figureIn(figure.value, unit);
    const reported = `${way}: ${text} ${GIGA[unit]}, what it should carry is unknown${isFlagged ? ', far below the other way' : ''}${remarks}`;
    return { kind: 'unrated', text, reported, isStale, isFlagged, hasLostPath };
  }
  const written =
    measure === 'bandwidth'
      ? { text: figureIn(value, unit), reported: `${figureIn(value, unit)} ${GIGA[unit]}` }
      : measure === 'delay'
        ? {
            text: plain(delayFigure(value, delay)),
            reported: `${delayName(delay)} ${plain(delayFigure(value, delay))}`,
          }
        : {
            text: formatFinePercent(value).figure,
            reported: `${figureIn(rate?.value ?? 0, unit)} ${GIGA[unit]}, ${formatFinePercent(value).figure} per cent of what it should carry`,
          };
  return {
    kind: 'measured',
    step: heatStep(measure, value, scale),
    text: written.text,
    reported: `${way}: ${written.reported}${isFlagged ? ', below its rate' : ''}${remarks}`,
    isStale,
    isFlagged,
    hasLostPath,
  };
};

/** ", last 9.41 Gb/s", as the list has it; '' for one that was never measured. */
const lastStatus = (figure: FigureView | undefined, { rate }: LinkUnits): string =>
  figure === undefined ? '' : `, last ${figureIn(figure.value, rate)} ${GIGA[rate]}`;

/** Nodes joined by RDMA follow each other; those that are not come last, as one group. In each they stand by name. */
const inGroups = (nodes: MatrixInput['nodes'], links: readonly LinkView[]): readonly MatrixColumn[] => {
  const near = new Map<NodeId, NodeId[]>(nodes.map(({ id }) => [id, []]));
  for (const {
    medium,
    nodes: [a, b],
  } of links) {
    if (medium !== 'rdma') continue;
    near.get(a)?.push(b);
    near.get(b)?.push(a);
  }
  const isListed = new Set<string>();
  const groups = nodes.map(({ id }): readonly NodeId[] => {
    const group: NodeId[] = [];
    const open = [id];
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      if (isListed.has(next) || !near.has(next)) continue;
      isListed.add(next);
      group.push(next);
      pushAll(open, near.get(next) ?? []);
    }
    return group;
  });
  const together = groups.filter(group => group.length > 1);
  const alone = groups.flatMap(group => (group.length === 1 ? group : []));
  const names = new Map(nodes.map(({ id, name }) => [id, name]));
  return [...together, alone].flatMap(group =>
    group
      .map(id => ({ id, name: names.get(id) ?? '' }))
      .toSorted((a, b) => inNumericOrder(a.name, b.name))
      .map((node, index) => ({ ...node, isGroupEnd: index === group.length - 1 })),
  );
};

/** spark-2 before spark-10. */

const plain = ({ figure, unit }: { readonly figure: string; readonly unit: string }): string =>
  unit === '' ? figure : `${figure} ${unit}`;

const GIGA = { bits: 'Gb/s', bytes: 'GB/s' } as const;
