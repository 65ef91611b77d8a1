// The headline figures of a link's page.

import { type Figure, figureText, UNKNOWN_FIGURE } from '../../../src/core/figure/figure.ts';
import { figuresAgeMs, type LinkView } from '../../../src/core/link/link-view.ts';
import { knownOr } from '../../../src/core/unknown.ts';
import { ageText } from '../figure/age.ts';
import type { DetailRow } from './detail-rows.ts';
import { type DelayUnit, delayFigure, delayName, jitterName, linkJitter, timeFigure } from './link-text.ts';

interface LinkTile {
  readonly name: string;
  readonly value: Figure;
  readonly remark: string;
}

export const linkTiles = (
  link: LinkView,
  rows: readonly DetailRow[],
  { nowMs, delay }: { readonly nowMs: number; readonly delay: DelayUnit },
): readonly LinkTile[] => {
  const other: DelayUnit = delay === 'half' ? 'round' : 'half';
  const ageMs = figuresAgeMs(link, nowMs);
  const profile = link.roundTrip?.of.profile;
  const p99 = profile === undefined ? undefined : knownOr(profile.roundTripNsP99, undefined);
  const jitter = linkJitter(link, delay);
  return [
    {
      name: delayName(delay),
      value: delayFigure(link.roundTrip?.value, delay),
      remark:
        link.roundTrip === undefined
          ? 'not measured'
          : `${delayName(other)} ${text(delayFigure(link.roundTrip.value, other))}${p99 === undefined ? '' : `, RTT p99 ${text(timeFigure(p99))}`}`,
    },
    {
      name: jitterName(delay).replace('j', 'J'),
      value: jitter,
      remark:
        jitter === UNKNOWN_FIGURE ? 'not measured' : `${jitterName(other)} ${text(linkJitter(link, other))}`,
    },
    {
      name: 'Connections',
      value: { figure: String(rows.length), unit: '' },
      remark: connectionCounts(rows),
    },
    {
      name: 'Measured',
      value: ageMs === undefined ? { figure: '–', unit: '' } : splitAge(ageText(ageMs)),
      remark: ageMs === undefined ? 'not yet' : 'the oldest of these figures',
    },
  ];
};

/** "1 failed, 2 not measured", "all measured". */
const connectionCounts = (rows: readonly DetailRow[]): string => {
  const failed = rows.filter(({ facts }) => facts.failure !== undefined).length;
  const measuring = rows.filter(({ isMeasuring }) => isMeasuring).length;
  const without = rows.filter(({ facts, isMeasuring }) => facts.profile === undefined && !isMeasuring).length;
  const parts = [
    measuring > 0 ? `${measuring} measuring` : '',
    failed > 0 ? `${failed} failed` : '',
    without > 0 ? `${without} not measured` : '',
  ].filter(part => part !== '');
  if (rows.length === 0) return 'none now';
  return parts.length === 0 ? 'all measured' : parts.join(', ');
};

/** "12 s" as a figure with its unit. */
const splitAge = (ageLabel: string): Figure => {
  const at = ageLabel.lastIndexOf('\u00a0');
  return { figure: ageLabel.slice(0, at), unit: `${ageLabel.slice(at + 1)} ago` };
};

const text = (figure: Figure): string => figureText(figure);
