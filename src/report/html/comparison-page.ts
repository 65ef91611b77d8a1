// The report of a comparison as one page: the result first, its gate, each figure with its interval, the pairs, and
// how to repeat it.

import type { ComparisonDocument, ComparisonSide } from '../../core/comparison/comparison-document.ts';
import { failedStopText } from '../../core/run/failed-stop.ts';
import { nameTexts } from '../../core/run/run-shape.ts';
import { capitalized } from '../../core/text/single-line.ts';
import { isKnown, isUnknown } from '../../core/unknown.ts';
import { forestChart, pairsChart } from '../../render/chart/comparison-charts.ts';
import { comparisonFacts, comparisonSection, refusalTexts } from '../../render/comparison/comparison-text.ts';
import { gateAnswerText, gateLines } from '../../render/comparison/gate-text.ts';
import { type Markup, markup } from '../../render/text/markup.ts';
import { comparisonToJson } from '../../wire/stored-json.ts';
import {
  againSection,
  folded,
  foldedList,
  madeBy,
  pageSection,
  picture,
  reportPage,
  sectionMarkup,
  type VerdictBand,
  verdictBand,
} from './page-parts.ts';
import type { FontFace } from './page-style.ts';

interface ComparisonPageInput {
  readonly document: ComparisonDocument;
  readonly fonts: readonly FontFace[];
}

export const comparisonPage = ({ document, fonts }: ComparisonPageInput): string => {
  const { a, b, mode, load } = document;
  const figures = comparisonSection(document);
  const primary = document.metrics.find(({ isPrimary }) => isPrimary);
  const strip = pairsChart(document, {
    width: 748,
    name: `${primary?.label ?? 'The primary figure'} of each segment in the order they ran`,
  });
  return reportPage({
    title: `${a.label} against ${b.label}`,
    fonts,
    head: {
      kind: 'Plimsoll comparison',
      id: document.id,
      startedAt: document.startedAt,
      title: `B, ${b.label}, against A, ${a.label}`,
      subtitle: [...new Set([a.model, b.model].filter(isKnown)), load].join(' · '),
      tags: nameTexts(document),
    },
    content: markup`${verdictBand(bandOf(document))}${gateSection(document)}${pageSection({
      title: 'B against A',
      remark: 'the shaded part is the margin, too small to matter; * decides',
      content: picture(
        forestChart(document, {
          width: 748,
          name: `Change of B against A of each figure. ${document.sentence}`,
        }),
        'No figure is known.',
      ),
    })}<div class="next-page">${sectionMarkup({ ...figures, remarks: [] })}</div>${
      strip === undefined
        ? undefined
        : pageSection({
            title: 'The pairs in the order they ran',
            remark: `${primary?.label ?? ''} of each segment; the line joins a pair`,
            content: picture(strip, ''),
          })
    }${againSection(document.command)}<div class="folded">${foldedList('How sure it is', [
      UNIT_TEXTS[mode],
      ...figures.remarks,
    ])}${folded('All settings and the environment', settingsOf(document))}</div>`,
    raw: { file: 'comparison.json', json: comparisonToJson(document) },
  });
};

/** An incomplete or refused comparison is shown above every verdict. */
const bandOf = (document: ComparisonDocument): VerdictBand => {
  const { state, endedEarly, stopped, sentence, isAnyway, verdict } = document;
  const ended = `${state}${endedEarly === undefined ? '' : `: ${endedEarly}`}`;
  const cut = stopped !== undefined ? [failedStopText(stopped)] : state === 'complete' ? [] : [ended];
  const refused = refusalTexts(document);
  const tones = {
    better: 'good',
    worse: 'bad',
    same: 'good',
    different: 'open',
    undecided: 'open',
    'not-comparable': 'caution',
  } as const;
  return {
    tone: cut.length > 0 || refused.length > 0 ? 'caution' : tones[verdict.kind],
    headline: `${sentence}.`,
    reasons: [...cut, ...refused.map(text => (isAnyway ? `compared anyway, although ${text}` : text))],
    sentence: UNIT_TEXTS[document.mode],
  };
};

const gateSection = (document: ComparisonDocument): Markup | undefined => {
  const [sentence] = gateLines(document);
  return document.gate === undefined || sentence === undefined
    ? undefined
    : pageSection({
        title: sentence.replace(/\.$/, ''),
        content: markup`<ul>${document.gate.rules.map(answer => markup`<li>${gateAnswerText(answer)}</li>`)}</ul>`,
      });
};

const settingsOf = (document: ComparisonDocument): readonly (readonly [name: string, text: string])[] => [
  ...comparisonFacts(document).map(([name, text]) => [capitalized(name), text] as const),
  ['Target of A', targetOf(document.a)],
  ['Target of B', targetOf(document.b)],
  ...madeBy(document),
];

const targetOf = ({ target }: ComparisonSide): string =>
  isUnknown(target) ? `unknown (${target.reason})` : target;

const UNIT_TEXTS: Readonly<Record<ComparisonDocument['mode'], string>> = {
  pairs: 'The unit is the pair, not the request: requests in one queue are not independent.',
  sets: 'The unit is the run, not the request: requests in one queue are not independent.',
  runs: 'One run each: how much runs vary is not known, so they differ at most.',
};
