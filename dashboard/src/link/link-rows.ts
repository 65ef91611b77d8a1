// A link as a row of the list, with each of its texts once.

import type { Figure } from '../../../src/core/figure/figure.ts';
import { standingText, typeText } from '../../../src/core/link/link-text.ts';
import { figuresAgeMs, isCarrying, type LinkView } from '../../../src/core/link/link-view.ts';
import { listAgeText } from '../figure/age.ts';
import { isFlagged } from './link-filter.ts';
import { delayFigure, type LinkUnits, linkJitter, negotiatedText, rateFigure } from './link-text.ts';

export interface LinkRow {
  readonly key: string;
  readonly title: string;
  readonly type: string;
  readonly negotiated: string;
  readonly there: RowFigure;
  readonly back: RowFigure;
  readonly delay: RowFigure;
  readonly jitter: Figure;
  readonly age: string;
  readonly note: string;
  /** If there is little room, redundant notes are left out. */
  readonly isNoteSpare: boolean;
  readonly isDim: boolean;
  /** It needs somebody: it falls short of what it should carry, or its probe fails. */
  readonly isFlagged: boolean;
}

interface RowFigure {
  readonly value: Figure;
  readonly isOld: boolean;
}

export interface RowSources {
  readonly nameOf: (id: string) => string;
  readonly notes: ReadonlyMap<string, string>;
  readonly units: LinkUnits;
  readonly nowMs: number;
}

export const linkRow = (link: LinkView, { nameOf, notes, units, nowMs }: RowSources): LinkRow => {
  const why = standingText(link);
  const ageMs = figuresAgeMs(link, nowMs);
  const { there, back, roundTrip } = link.last;
  return {
    key: link.key,
    title: `${nameOf(link.nodes[0])} – ${nameOf(link.nodes[1])}`,
    type: typeText(link.best),
    negotiated: negotiatedText(link.best, units.rate),
    there: { value: rateFigure(there?.value, units.rate), isOld: there?.isStale === true },
    back: { value: rateFigure(back?.value, units.rate), isOld: back?.isStale === true },
    delay: { value: delayFigure(roundTrip?.value, units.delay), isOld: roundTrip?.isStale === true },
    jitter: linkJitter(link.last, units.delay),
    age: ageMs === undefined ? '–' : listAgeText(ageMs),
    note: notes.get(link.key) ?? (why === '' ? (link.isMeasuring ? 'measuring' : '') : why),
    isNoteSpare: why === '' && !notes.has(link.key),
    isFlagged: isFlagged(link, notes),
    isDim: !isCarrying(link.standing) || link.isStale,
  };
};
