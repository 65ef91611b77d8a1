// Charts of a comparison as SVG, from the geometry that the page also draws: for reports and for files.

import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { figureText } from '../../core/figure/figure.ts';
import { type Markup, markup } from '../text/markup.ts';
import { type ForestRow, forestOf, verdictSign } from './forest.ts';
import { pairStrip } from './pair-strip.ts';
import { type ChartOptions, chartSvg } from './run-charts.ts';

type Frame = Omit<ChartOptions, 'height'>;

/** Each figure's change with its interval, against its margin; undefined if there are no figures. */
export const forestChart = (document: ComparisonDocument, frame: Frame): Markup | undefined => {
  const [left, right] = [FOREST_LEFT, frame.width - FOREST_RIGHT];
  const forest = forestOf(document, { left, right });
  if (forest.rows.length === 0) return undefined;
  const floor = FOREST_TOP + forest.rows.length * ROW_PX;
  const middleOf = (index: number): number => FOREST_TOP + (index + 0.5) * ROW_PX;
  return chartSvg(
    { ...frame, height: floor + 22 },
    markup`${forest.rows.map(
      ({ margin }, index) =>
        markup`<rect class="margin" x="${margin.low}" y="${middleOf(index) - 12}" width="${margin.high - margin.low}" height="24"/>`,
    )}${forest.ticks.map(
      ({ at, label }) =>
        markup`<path class="grid" d="M${at} ${FOREST_TOP - 6}V${floor}"/><text class="tick" x="${at}" y="${floor + 16}" text-anchor="middle">${label}</text>`,
    )}<path class="limit" d="M${forest.zero} ${FOREST_TOP - 6}V${floor}"/>
<text class="tick" x="${forest.zero - 8}" y="12" text-anchor="end">B lower</text><text class="tick" x="${forest.zero + 8}" y="12">B higher, per cent of A</text>
<text class="tick" x="${A_PX}" y="24" text-anchor="end">A</text><text class="tick brass-text" x="${B_PX}" y="24" text-anchor="end">B</text>${forest.rows.map(
      (row, index) => rowDrawn(row, { y: middleOf(index), right }),
    )}`,
  );
};

const rowDrawn = (row: ForestRow, { y, right }: { readonly y: number; readonly right: number }): Markup =>
  markup`<g class="${row.tone}"><title>${row.sentence}</title><text class="value" x="0" y="${y + 4}">${row.label}${row.isPrimary ? ' *' : ''}</text>${
    row.a === undefined
      ? undefined
      : markup`<text class="tick" x="${A_PX}" y="${y + 4}" text-anchor="end">${figureText(row.a)}</text>`
  }${
    row.b === undefined
      ? undefined
      : markup`<text class="tick brass-text" x="${B_PX}" y="${y + 4}" text-anchor="end">${figureText(row.b)}</text>`
  }${row.units.map(unit => markup`<circle class="unit" cx="${unit}" cy="${y + 8}" r="2.2"/>`)}${
    row.interval === undefined
      ? undefined
      : markup`<path class="interval" d="M${row.interval.low} ${y - 2}H${row.interval.high}M${row.interval.low} ${y - 7}v10M${row.interval.high} ${y - 7}v10"/><circle class="estimate" cx="${row.interval.at}" cy="${y - 2}" r="4.5"/>`
  }<text class="value" x="${right + 56}" y="${y + 4}" text-anchor="end">${row.change}</text><path class="sign" d="${verdictSign(row.tone, right + 70, y)}"/><text class="tick" x="${right + 80}" y="${y + 4}">${row.verdictLabel}</text></g>`;

/**
 * The primary figure of each segment in the order they ran, with a line between the two of a pair; undefined
 * if there are none.
 */
export const pairsChart = (document: ComparisonDocument, frame: Frame): Markup | undefined => {
  const [left, right, floor] = [64, frame.width - 12, PAIRS_PX - 26];
  const strip = pairStrip(document, { left, right, top: 12, floor });
  if (strip === undefined) return undefined;
  const pairs = [...Map.groupBy(strip.points, ({ pair }) => pair).values()];
  return chartSvg(
    { ...frame, height: PAIRS_PX },
    markup`${strip.ticks.map(
      ({ y, label }) =>
        markup`<path class="grid" d="M${left} ${y}H${right}"/><text class="tick" x="${left - 8}" y="${y + 4}" text-anchor="end">${label}</text>`,
    )}${pairs.map(([one, other]) =>
      one === undefined || other === undefined
        ? undefined
        : markup`<path class="join" d="M${one.x} ${one.y}L${other.x} ${other.y}"/>`,
    )}${strip.points.map(({ side, x, y, value }) =>
      side === 'A'
        ? markup`<circle class="dot" cx="${x}" cy="${y}" r="4.5"><title>A ${value}</title></circle><text class="tick" x="${x}" y="${PAIRS_PX - 8}" text-anchor="middle">A</text>`
        : markup`<rect class="side-b" x="${x - 4}" y="${y - 4}" width="8" height="8"><title>B ${value}</title></rect><text class="tick brass-text" x="${x}" y="${PAIRS_PX - 8}" text-anchor="middle">B</text>`,
    )}<path class="axis" d="M${left} ${floor}H${right}"/>`,
  );
};

const FOREST_TOP = 36;
const ROW_PX = 32;
/** Names and figures to the left of the intervals, the change and its verdict to the right. */
const FOREST_LEFT = 216;
const FOREST_RIGHT = 176;
const A_PX = 136;
const B_PX = 204;
const PAIRS_PX = 172;
