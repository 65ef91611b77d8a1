// A link as a row of the list: every word of it, told once.

import type { Figure } from '../../../src/core/figure/figure.ts';
import type { LinkView } from '../../../src/core/link/link-view.ts';
import { standingWords, typeWords } from '../../../src/core/link/link-words.ts';
import { ageText } from '../figure/age.ts';
import type { RateUnit } from './link-words.ts';
import {
  halfOf,
  linkAgeMs,
  linkHalfJitterNs,
  negotiatedWords,
  rateFigure,
  timeFigure,
} from './link-words.ts';

export interface LinkRow {
  readonly key: string;
  readonly title: string;
  readonly type: string;
  readonly negotiated: string;
  readonly there: RowFigure;
  readonly back: RowFigure;
  readonly halfRoundTrip: RowFigure;
  readonly halfJitter: Figure;
  readonly age: string;
  readonly note: string;
  /** Where there is little room, notes that say nothing new are left out. */
  readonly isNoteSpare: boolean;
  readonly isDim: boolean;
}

interface RowFigure {
  readonly value: Figure;
  readonly isOld: boolean;
}

export interface RowSources {
  readonly nameOf: (id: string) => string;
  readonly notes: ReadonlyMap<string, string>;
  readonly unit: RateUnit;
  readonly nowMs: number;
}

export const linkRow = (link: LinkView, { nameOf, notes, unit, nowMs }: RowSources): LinkRow => {
  const why = standingWords(link);
  const ageMs = linkAgeMs(link, nowMs);
  const { there, back, roundTrip } = link;
  return {
    key: link.key,
    title: `${nameOf(link.nodes[0])} – ${nameOf(link.nodes[1])}`,
    type: typeWords(link.best),
    negotiated: negotiatedWords(link.best, unit),
    there: { value: rateFigure(there?.value, unit), isOld: there?.isStale === true },
    back: { value: rateFigure(back?.value, unit), isOld: back?.isStale === true },
    halfRoundTrip: { value: timeFigure(halfOf(roundTrip)), isOld: roundTrip?.isStale === true },
    halfJitter: timeFigure(linkHalfJitterNs(link)),
    age: ageMs === undefined ? '–' : ageText(ageMs),
    note: why === '' ? (notes.get(link.key) ?? (link.isMeasuring ? 'measuring' : '')) : why,
    isNoteSpare: why === '' && !notes.has(link.key),
    isDim: link.standing.kind === 'gone' || link.isStale,
  };
};
