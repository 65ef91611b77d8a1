// The verdict on the load generator as text. That a run is incomplete comes first: then the verdict only
// covers what was observed.

import { formatMeasuredNanoseconds } from '../../core/figure/duration.ts';
import { figureText } from '../../core/figure/figure.ts';
import { widestOf } from '../../core/run/event-record.ts';
import {
  type FigureVerdict,
  figureName,
  figureVerdicts,
  figureVerdictText,
} from '../../core/run/figure-verdict.ts';
import {
  type ClientFigures,
  type RunFigures,
  type RunState,
  type VerdictScope,
  verdictScope,
  verdictText,
} from '../../core/run/run.ts';
import { capitalized } from '../../core/text/single-line.ts';
import { isKnown } from '../../core/unknown.ts';

export interface VerdictLabel {
  readonly tone: 'good' | 'caution' | 'open';
  readonly label: string;
  /** For a column: "within 0.4 ms", "kept up until then". */
  readonly short: string;
  readonly remark: string;
}

/** @param state the run's state as shown: one without a lease is interrupted. */
export const verdictLabel = (
  client: ClientFigures,
  state: RunState,
  series: RunFigures['series'] = {},
): VerdictLabel => {
  const scope = verdictScope(state);
  if (scope === 'whole' || scope === 'so-far') {
    const [worst] = client.verdict === 'trustworthy' ? figureVerdicts(series) : [];
    return worst === undefined ? plainLabel(client, scope) : boundedText(worst);
  }
  const [cut, part] = [capitalized(state), PARTS[scope]];
  const short = verdictText(client.verdict, state);
  switch (client.verdict) {
    case 'trustworthy': {
      const within = withinText(client);
      return {
        tone: 'open',
        label: cut,
        short,
        remark: `The client kept up ${part}${within === '' ? '' : `, within ${within}`}; this does not cover the whole run.`,
      };
    }
    case 'client-bound':
      return {
        tone: 'caution',
        label: `${cut}, client-bound`,
        short,
        remark: `The load generator was the limit ${part}, or part of it.`,
      };
    case 'unknown':
      return { tone: 'open', label: cut, short: 'no verdict', remark: NOTHING_REPORTED };
    default:
      return client.verdict satisfies never;
  }
};

/**
 * It did not limit the run; how far each figure can be used is another question, which the worst one answers.
 */
const boundedText = (worst: FigureVerdict): VerdictLabel => {
  const [name, off] = [figureName(worst), figureText(formatMeasuredNanoseconds(widestOf(worst.bound)))];
  switch (worst.kind) {
    case 'good':
      return {
        tone: 'good',
        label: `Trustworthy, good to ±${off}`,
        short: `±${off}`,
        remark: `The load generator is not the limit; the least certain figure is ${figureVerdictText(worst)}.`,
      };
    case 'adds':
      return {
        tone: 'caution',
        label: `The client adds up to ${off} to ${name}`,
        short: `adds up to ${off}`,
        remark: `The load generator is not the limit, and other figures are more certain: ${figureVerdictText(worst)}.`,
      };
    case 'not-usable':
      return {
        tone: 'caution',
        label: `${capitalized(name)} is not usable`,
        short: `${name} not usable`,
        remark: `The load generator is not the limit, but ${figureVerdictText(worst)}.`,
      };
    default:
      return worst.kind satisfies never;
  }
};

const plainLabel = (client: ClientFigures, scope: 'whole' | 'so-far'): VerdictLabel => {
  switch (client.verdict) {
    case 'trustworthy': {
      const within = withinText(client);
      return {
        tone: 'good',
        label: within === '' ? 'Trustworthy' : `Trustworthy within ${within}`,
        short: within === '' ? 'trustworthy' : `within ${within}`,
        remark: 'The load generator is not the limit.',
      };
    }
    case 'client-bound':
      return {
        tone: 'caution',
        label: 'Client-bound',
        short: 'client-bound',
        remark: 'The load generator is the limit, or part of it.',
      };
    case 'unknown':
      return {
        tone: 'open',
        label: scope === 'whole' ? 'No verdict' : 'No verdict yet',
        short: 'no verdict',
        remark: NOTHING_REPORTED,
      };
    default:
      return client.verdict satisfies never;
  }
};

/** Possible error of a figure: send lateness and read lateness are added. */
const withinText = ({ sendLatenessNsP99, readLatenessNsP99 }: ClientFigures): string => {
  const parts = [sendLatenessNsP99, readLatenessNsP99].filter(isKnown);
  return parts.length === 0
    ? ''
    : figureText(formatMeasuredNanoseconds(parts.reduce((sum, part) => sum + part, 0)));
};

const PARTS: Readonly<Record<Exclude<VerdictScope, 'whole' | 'so-far'>, string>> = {
  'until-then': 'until then',
  partly: 'as far as its report shows',
};
const NOTHING_REPORTED = 'The load generator has not reported on itself.';
