// A plain document as lines of text.

import { formatMoment } from '../../core/figure/duration.ts';
import { capitalized } from '../../core/text/single-line.ts';
import { sectionLines } from '../section.ts';
import { shownLine, type TextOptions } from '../text/ascii.ts';
import type { PlainReport } from './plain-kind.ts';

export const plainText = (
  { title, document, target, load, result, sections }: PlainReport,
  options: Pick<TextOptions, 'isUnicode'>,
): readonly string[] =>
  [
    `${title} ${document.id} · ${formatMoment(document.startedAt)}${target === '' ? '' : ` · ${target}`}`,
    [load, result].filter(text => text !== '').join(', '),
    ...cutTexts({ document }).map(capitalized),
    ...sections.flatMap(sectionLines),
  ].map(line => shownLine(line, options));

/** Why it is not complete; none where it is. */
export const cutTexts = ({
  document: { state, reason },
}: Pick<PlainReport, 'document'>): readonly string[] =>
  state === 'complete' || state === 'running' ? [] : [`${state}${reason === '' ? '' : `: ${reason}`}`];
