// Why two results differ, as text and as sections: both side by side under both definitions, then each figure with its causes, the
// greatest difference first.

import { ratioText } from '../../core/comparison/comparison-labels.ts';
import { LETTERS } from '../../core/explanation/explained-side.ts';
import {
  CAUSES,
  type ExplainedFigureDocument,
  type ExplanationDocument,
} from '../../core/explanation/explanation-document.ts';
import { counted, figureText, formatThreeDigits } from '../../core/figure/figure.ts';
import { hangingLines, inColumns } from '../../core/text/columns.ts';
import { isKnown, isUnknown, type Reported } from '../../core/unknown.ts';
import { formatRunFigure } from '../run/format-run-figure.ts';
import { type FactRow, factLines, type Section, sectionBody } from '../section.ts';
import { shownLine, type TextOptions } from '../text/ascii.ts';

export const explanationText = (document: ExplanationDocument, options: TextOptions): readonly string[] => {
  const { columns } = options;
  return [
    ...hangingLines('', explanationSentence(document), columns),
    '',
    ...factLines(explanationFacts(document), columns),
    ...differenceTexts(document).flatMap(text => hangingLines('  ', text, columns)),
    ...explanationSections(document).flatMap(section => [
      '',
      section.count === undefined ? section.title : `${section.title}: ${section.count}`,
      ...(section.key === SIDE_BY_SIDE ? sectionBody(section, columns) : causeLines(section, columns)),
    ]),
    '',
    ...hangingLines('', document.order, columns),
  ].map(line => shownLine(line, options));
};

/** "Latency p99 differs most: +18.2 %, of which 0.4 % are unexplained." */
export const explanationSentence = (document: ExplanationDocument): string => {
  const { comparable, figures } = document;
  if (!comparable)
    return 'A and B cannot be compared: they are not of one model on one server. Figures are shown and not explained.';
  const [most] = different(document);
  if (figures.length === 0) return 'A and B have no figure in common.';
  if (most === undefined) return 'No difference: every figure that both have is the same.';
  const greatestRest = figures.reduce(
    (rest, { unexplainedShare }) => Math.max(rest, Math.abs(unexplainedShare)),
    0,
  );
  return `${most.label} differs most: ${percentText(most.differenceShare)} of ${most.a.figure === 0 ? "B's" : "A's"}. What stays unexplained is at most ${shareText(greatestRest)} of a figure.`;
};

export const explanationFacts = ({ a, b }: ExplanationDocument): readonly FactRow[] =>
  [a, b].map((side, index): FactRow => {
    const { source, tool, model, target, load, requests, inputTokens, outputTokens } = side;
    return [
      index === 0 ? 'A' : 'B',
      [
        tool,
        source,
        ...[target, model].filter(isKnown),
        load,
        isUnknown(requests) ? requests.reason : counted(requests, 'request'),
        `tokens in ${tokensText(inputTokens)}, out ${tokensText(outputTokens)}`,
      ].join(', '),
    ];
  });

/** What is not the same on both sides. */
export const differenceTexts = ({ differences }: ExplanationDocument): readonly string[] =>
  differences.map(({ problem, a, b }) => `${problem} (A: ${a}; B: ${b})`);

export const explanationSections = (document: ExplanationDocument): readonly Section[] => [
  sideBySide(document),
  ...(document.comparable ? different(document).map(causesOf) : []),
];

const sideBySide = (document: ExplanationDocument): Section => ({
  key: SIDE_BY_SIDE,
  title: 'Side by side',
  tables: [
    {
      name: 'Figures of both under both definitions',
      columns: ['figure', 'A', "A by B's rules", 'B', "B by A's rules", 'B − A'],
      rows: document.figures.map(figure => [
        figure.label,
        ...LETTERS.flatMap(on => [
          `${tableText(figure, figure[on].figure)}${figure[on].isPrinted ? '' : '*'}`,
          tableText(figure, figure[on].byOther),
        ]),
        figure.isSame ? 'same' : percentText(figure.differenceShare),
      ]),
    },
  ],
  remarks: document.figures.some(figure => LETTERS.some(on => !figure[on].isPrinted))
    ? [
        '* calculated from its requests by the rules of its tool: it did not print the figure, or that is not stored.',
      ]
    : [],
});

/** Effect, share and cause of each; what is left last. */
const causesOf = (figure: ExplainedFigureDocument): Section => {
  const { causes, unexplained, unexplainedShare, uncomputed, clientBound } = figure;
  const bound =
    isUnknown(clientBound) || clientBound === 0
      ? ''
      : `; the clients may be off by ${valueText(figure, clientBound)}`;
  return {
    key: figure.key,
    title: figure.label,
    count: `${valueText(figure, figure.a.figure)} in A, ${valueText(figure, figure.b.figure)} in B, ${signed(figure, figure.difference)} (${percentText(figure.differenceShare)})`,
    tables: [
      {
        name: `Causes of the difference in ${figure.label}`,
        columns: ['effect', 'share', 'cause'],
        rows: [
          ...causes.map(({ code, basis, effect, effectShare, evidence }) => [
            signed(figure, effect),
            percentText(effectShare),
            `${CAUSES[code]}, ${basis}: ${evidence}`,
          ]),
          [signed(figure, unexplained), percentText(unexplainedShare), `unexplained${bound}`],
        ],
        texts: [CAUSE],
      },
    ],
    remarks: uncomputed.map(({ code, reason }) => `cannot be computed: ${CAUSES[code]}: ${reason}`),
  };
};

/** Causes are sentences: they wrap next to their figures. */
const causeLines = ({ tables = [], remarks = [] }: Section, columns: number): readonly string[] => {
  const rows = tables.flatMap(table =>
    table.rows.map(row => row.map(cell => (typeof cell === 'string' ? cell : ''))),
  );
  const heads = inColumns(
    rows.map(row => row.slice(0, CAUSE)),
    { texts: [] },
  );
  return [
    ...rows.flatMap((row, index) => hangingLines(`${heads[index] ?? ''}  `, row[CAUSE] ?? '', columns)),
    ...remarks.flatMap(remark => hangingLines('  ', remark, columns)),
  ];
};

/** The greatest first. */
const different = ({ figures }: ExplanationDocument): readonly ExplainedFigureDocument[] =>
  figures
    .filter(({ isSame }) => !isSame)
    .toSorted((one, other) => Math.abs(other.differenceShare) - Math.abs(one.differenceShare));

const valueText = ({ unit }: Pick<ExplainedFigureDocument, 'unit'>, value: Reported<number>): string =>
  isUnknown(value) ? '–' : figureText(formatRunFigure(unit, value));

/** The label of a rate has its unit. */
const tableText = (figure: Pick<ExplainedFigureDocument, 'unit'>, value: Reported<number>): string =>
  isKnown(value) && figure.unit !== 'ns'
    ? formatRunFigure(figure.unit, value).figure
    : valueText(figure, value);

const signed = (figure: Pick<ExplainedFigureDocument, 'unit'>, value: number): string =>
  `${value < 0 ? '−' : '+'}${valueText(figure, Math.abs(value))}`;

/** "+18.2 %" of A's figure, or of B's. */
const percentText = (share: number): string => ratioText(1 + share);

const shareText = (share: number): string => `${formatThreeDigits(share * 100)} %`;

const tokensText = (tokens: Reported<number>): string =>
  isUnknown(tokens) ? 'unknown' : formatThreeDigits(tokens);

const SIDE_BY_SIDE = 'side-by-side';
const CAUSE = 2;
