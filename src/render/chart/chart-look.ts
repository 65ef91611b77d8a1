// Style of charts: the colours of dashboard/src/look/tokens.css that they use, as values for standalone
// files, and one set of rules for all. A test compares the values with that file.

import { LANE_PHASES, type LanePhase } from '../../core/run/request-lanes.ts';
import { type Markup, markup, rawMarkup } from '../text/markup.ts';

type ChartToken = keyof typeof LIGHT_TOKENS;
export type ChartTokens = Readonly<Record<ChartToken, string>>;

/**
 * Rules of every chart, each under `.chart`.
 * @param token returns `var(--ink)`, or the token's value.
 */
export const chartRules = (token: (name: ChartToken) => string): string => `
.chart text { font-family: ${FIGURE_FONTS}; font-size: 12px; fill: ${token('ink')}; }
.chart .tick { font-size: 11px; fill: ${token('ink-3')}; }
.chart .say { fill: ${token('ink-2')}; paint-order: stroke; stroke: ${token('surface')}; stroke-width: 4px; stroke-linejoin: round; }
.chart .value { font-weight: 500; fill: ${token('ink')}; }
.chart .grid { stroke: ${token('rule')}; fill: none; }
.chart .axis { stroke: ${token('rule-strong')}; fill: none; }
.chart .limit { stroke: ${token('ink')}; stroke-width: 1.2; fill: none; }
.chart circle.limit { fill: ${token('surface')}; }
.chart .band-99 { fill: ${token('band-99')}; }
.chart .band-90 { fill: ${token('band-90')}; }
.chart .band-75 { fill: ${token('band-75')}; }
.chart .middle { stroke: ${token('ink')}; stroke-width: 1.6; fill: none; stroke-linejoin: round; }
.chart .water { fill: ${token('water')}; }
.chart .waterline { stroke: ${token('water-mark')}; stroke-width: 1.5; fill: none; stroke-linejoin: round; }
.chart .brass { stroke: ${token('series-2')}; stroke-width: 1.5; fill: none; stroke-linejoin: round; }
.chart .outage { fill: ${token('danger-mark')}; opacity: 0.14; }
.chart .fault { fill: ${token('danger-mark')}; }
.chart .bar { fill: ${token('water')}; stroke: ${token('water-mark')}; }
.chart .bar.over { fill: ${token('caution-soft')}; stroke: ${token('caution-mark')}; }
.chart .water-text { fill: ${token('water-text')}; }
.chart .failed { fill: ${token('danger')}; font-weight: 500; }
.chart .hatch { stroke: ${token('danger-mark')}; opacity: 0.3; }
.chart .over { stroke: ${token('danger-mark')}; stroke-dasharray: 2 4; fill: none; }
.chart .foot { stroke: ${token('ink')}; stroke-dasharray: 1 3; fill: none; }
.chart .mark circle, .chart .mark path { fill: none; stroke: ${token('ink')}; stroke-width: 2.6; }
.chart .mark.thin circle, .chart .mark.thin path { stroke-width: 2; }
.chart .mark.dashed circle { stroke-dasharray: 5 3.5; }
.chart .whisker { stroke: ${token('ink-3')}; opacity: 0.55; }
.chart .dot { fill: ${token('ink')}; stroke: ${token('surface')}; stroke-width: 1.5; }
.chart .dot.failed, .chart .dot.undecided, .chart .dot.running, .chart .dot.client-bound, .chart .dot.stopped { fill: ${token('surface')}; stroke-width: 2; }
.chart .dot.failed { stroke: ${token('danger-mark')}; }
.chart .dot.undecided { stroke: ${token('ink-3')}; }
.chart .dot.running { stroke: ${token('water-mark')}; stroke-dasharray: 3 2; }
.chart .dot.client-bound { stroke: ${token('caution-mark')}; stroke-dasharray: 3 2; }
.chart .dot.stopped { stroke: ${token('caution-mark')}; }
.chart .dot.broken { fill: ${token('danger-mark')}; }
.chart .share { fill: ${token('ink-2')}; }
.chart .share.failed, .chart .share.broken { fill: ${token('danger-mark')}; }
.chart .share.running, .chart .share.undecided { fill: none; stroke: ${token('water-mark')}; stroke-dasharray: 3 2; }
.chart .share.client-bound, .chart .share.stopped { fill: ${token('caution-mark')}; }
.chart .brass-text { fill: ${token('series-2')}; }
.chart .margin { fill: ${token('inset')}; }
.chart .interval { stroke: ${token('ink-2')}; stroke-width: 2.2; fill: none; }
.chart .estimate { fill: ${token('ink-2')}; stroke: ${token('surface')}; stroke-width: 1.5; }
.chart .unit { fill: ${token('ink-3')}; opacity: 0.55; }
.chart .sign { stroke: ${token('ink-3')}; stroke-width: 1.6; fill: none; }
.chart .better .interval { stroke: ${token('good-mark')}; }
.chart .better .estimate, .chart .better .sign { fill: ${token('good-mark')}; }
.chart .better .sign, .chart .worse .sign { stroke: none; }
.chart .worse .interval { stroke: ${token('danger-mark')}; }
.chart .worse .estimate, .chart .worse .sign { fill: ${token('danger-mark')}; }
.chart .undecided .interval, .chart .none .interval { stroke: ${token('ink-3')}; stroke-dasharray: 3 2.5; }
.chart .undecided .estimate, .chart .none .estimate { fill: ${token('surface')}; stroke: ${token('ink-3')}; stroke-width: 2; }
.chart .side-b { fill: ${token('series-2')}; stroke: ${token('surface')}; }
${LANE_PHASES.map(({ phase }) => `.chart .lane-${phase} { stroke: ${token(LANE_LOOKS[phase].ink)}; stroke-dasharray: ${LANE_LOOKS[phase].dashes}; fill: none; }`).join('\n')}
.chart .join { stroke: ${token('rule-strong')}; opacity: 0.5; }
`;

/**
 * Style of a chart in a file of its own: its rules with resolved colours (light theme), and its background.
 */
export const standaloneLook = (): Markup =>
  markup`<style>${rawMarkup(chartRules(name => LIGHT_TOKENS[name]))}</style><rect width="100%" height="100%" fill="${LIGHT_TOKENS.surface}"/>`;

interface LaneLook {
  readonly ink: ChartToken;
  /** `stroke-dasharray` */
  readonly dashes: string;
  /** Of a lane's height: what waits at this client is nothing that the server does. */
  readonly share: number;
}

/** Lines of requests in lanes. */
export const LANE_LOOKS: Readonly<Record<LanePhase, LaneLook>> = {
  waiting: { ink: 'rule-strong', dashes: 'none', share: 0.3 },
  queued: { ink: 'series-2', dashes: 'none', share: 0.8 },
  prefill: { ink: 'water', dashes: 'none', share: 0.8 },
  decode: { ink: 'water-mark', dashes: 'none', share: 0.8 },
  cancelled: { ink: 'caution-mark', dashes: '3 2', share: 0.8 },
  failed: { ink: 'danger-mark', dashes: 'none', share: 0.8 },
};

const FIGURE_FONTS = `"Plex Condensed", "IBM Plex Sans Condensed", "Arial Narrow", Arial, sans-serif`;

export const LIGHT_TOKENS = {
  bg: '#f3f6f6',
  surface: '#ffffff',
  inset: '#e8eeef',
  hull: '#fbfcfc',
  rule: '#d7e0e2',
  'rule-strong': '#768990',
  ink: '#0d1c25',
  'ink-2': '#3a4d58',
  'ink-3': '#566973',
  water: '#b5d9e6',
  'water-mark': '#1b7696',
  'water-text': '#0c5f7c',
  good: '#1c6f46',
  'good-mark': '#27915d',
  caution: '#805300',
  'caution-mark': '#b57700',
  'caution-soft': '#faeed2',
  danger: '#ad2417',
  'danger-mark': '#cf3b2c',
  'band-99': '#dcebf1',
  'band-90': '#b9d8e4',
  'band-75': '#8cbdd0',
  'series-2': '#7a5a12',
} as const;

export const DARK_TOKENS: ChartTokens = {
  bg: '#0a1218',
  surface: '#111c24',
  inset: '#1a2832',
  hull: '#0f1a21',
  rule: '#22323c',
  'rule-strong': '#6b808c',
  ink: '#e9f0f3',
  'ink-2': '#b5c5cd',
  'ink-3': '#8fa3ae',
  water: '#17506a',
  'water-mark': '#56b7d8',
  'water-text': '#7fcde8',
  good: '#6fd0a3',
  'good-mark': '#3fae7a',
  caution: '#f0bb58',
  'caution-mark': '#d99a2b',
  'caution-soft': '#33260c',
  danger: '#ff9a8c',
  'danger-mark': '#ee6a59',
  'band-99': '#12303d',
  'band-90': '#17485d',
  'band-75': '#206580',
  'series-2': '#d9b25f',
};
