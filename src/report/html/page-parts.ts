// Components of a report's pages: the head, the verdict with its sign, figures, tables, folded parts.

import { createHash } from 'node:crypto';
import { formatMoment } from '../../core/figure/duration.ts';
import type { Figure } from '../../core/figure/figure.ts';
import { SPOILED_MARK } from '../../core/run/contamination.ts';
import type { ReportEnvironment } from '../../core/run/report.ts';
import { capitalized } from '../../core/text/single-line.ts';
import type { SummaryFigure } from '../../render/run/report-summary.ts';
import { environmentText } from '../../render/run/text-requests.ts';
import { columnTitle, pageTable, type Section, type SectionCell } from '../../render/section.ts';
import { type Markup, type MarkupValue, markup, rawMarkup } from '../../render/text/markup.ts';
import { type FontFace, pageStyle } from './page-style.ts';

interface PageHead {
  /** "Plimsoll report". */
  readonly kind: string;
  /** "Run 2026-10-12-1". */
  readonly id: string;
  /** ISO 8601 */
  readonly startedAt: string;
  readonly title: string;
  readonly subtitle: string;
  readonly tags: readonly string[];
}

const pageHead = ({ kind, id, startedAt, title, subtitle, tags }: PageHead): Markup => markup`
<div class="top">${LOGO}<span>${kind}</span><span class="push">${id} · ${formatMoment(startedAt)}</span></div>
<h1>${title}</h1><p class="sub">${subtitle}</p>${
  tags.length === 0 ? undefined : markup`<ul class="tags">${tags.map(tag => markup`<li>${tag}</li>`)}</ul>`
}`;

/** Without the scheme and path; several URLs as they are. */
export const hostOf = (target: string): string =>
  URL.canParse(target) && !target.includes(', ') ? new URL(target).host || target : target;

export interface VerdictBand {
  readonly tone: 'good' | 'caution' | 'open' | 'bad';
  readonly headline: string;
  /** Shown above the sentence: reasons for distrust. */
  readonly reasons: readonly string[];
  readonly sentence: string;
}

/** The mark is level if all is well; else the ring is below the line, and the reason comes first. */
export const verdictBand = ({ tone, headline, reasons, sentence }: VerdictBand): Markup => markup`
<div class="verdict ${tone}">${tone === 'good' ? LEVEL_MARK : SUNK_MARK}<div><strong>${headline}</strong>${
  reasons.length === 0
    ? undefined
    : markup`<ul>${reasons.map(reason => markup`<li>${capitalized(reason)}</li>`)}</ul>`
}<p>${sentence}</p></div></div>`;

export const sixFigures = (figures: readonly SummaryFigure[]): Markup => markup`
<dl class="six">${figures.map(
  ({ name, value, isAtLeast, isSpoiled, remark }) =>
    markup`<div><dt>${name}${isSpoiled ? SPOILED_MARK : undefined}</dt><dd class="figure">${isAtLeast ? markup`<small>at least</small>` : undefined}${value.figure}${
      value.unit === '' ? undefined : markup`<span class="unit">${value.unit}</span>`
    }</dd><dd class="remark">${remark}</dd></div>`,
)}</dl>`;

interface PageSection {
  readonly title: string;
  readonly remark?: string;
  /** Class of its style; '' for that of most sections. */
  readonly look?: string;
  readonly content: Markup;
}

export const pageSection = ({ title, remark = '', look = '', content }: PageSection): Markup => markup`
<section${look === '' ? undefined : markup` class="${look}"`}><h2>${title}${
  remark === '' ? undefined : markup` <small>${remark}</small>`
}</h2>${content}</section>`;

/** @param drawing is above the tables */
export const sectionMarkup = (section: Section, look = '', drawing?: Markup): Markup | undefined => {
  const { title, count, note, unknown, lead = [], tables = [], remarks = [] } = section;
  return unknown !== undefined
    ? undefined
    : pageSection({
        title,
        remark: [count ?? [], note ?? []].flat().join('; '),
        look,
        content: markup`${lead.map(line => markup`<p>${line}</p>`)}${drawing}${tables
          .map(pageTable)
          .map(({ name, columns, rows, texts = [] }) =>
            table({
              name,
              head: columns.map(columnTitle),
              rows: rows.map(row => row.map(cellMarkup)),
              textColumns: texts,
            }),
          )}${remarks.map(remark => markup`<p class="none">${remark}</p>`)}`,
      });
};

const cellMarkup = (cell: SectionCell): MarkupValue =>
  typeof cell === 'string'
    ? cell
    : 'figure' in cell
      ? markup`${figureCell(cell)}${cell.note && markup` <span class="unit note">${cell.note}</span>`}`
      : markup`<span class="${TONES[cell.tone]}">${cell.text}</span>`;

const TONES = { good: 'held', bad: 'failed', caution: 'open', plain: 'plain' } as const;

export const againSection = (command: string): Markup =>
  pageSection({ title: 'Again', content: markup`<code class="command">${command}</code>` });

/** A chart, or why there is none. On a phone it scrolls sideways, by the keyboard too. */
export const picture = (drawn: Markup | undefined, instead: string): Markup =>
  drawn === undefined
    ? markup`<p class="none">${instead}</p>`
    : markup`<div class="picture" role="group" aria-label="Drawing" tabindex="0">${drawn}</div>`;

/** The first column names a row. Text columns are aligned to the left; all others are figures. */
export const table = ({
  name,
  head,
  rows,
  textColumns = [],
}: {
  /** For readers who cannot see the heading above it. */
  readonly name: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly MarkupValue[])[];
  /** Indexes of columns. */
  readonly textColumns?: readonly number[];
}): Markup => {
  const look = (column: number): Markup | undefined =>
    textColumns.includes(column) ? markup` class="text"` : undefined;
  return markup`<div class="scroll" role="region" aria-label="${name}" tabindex="0"><table>${
    head.length === 0
      ? undefined
      : markup`<thead><tr>${head.map((name, column) => markup`<th scope="col"${look(column)}>${name}</th>`)}</tr></thead>`
  }<tbody>${rows.map(
    ([name, ...cells]) =>
      markup`<tr><th scope="row"${look(0)}>${name}</th>${cells.map((cell, index) => markup`<td${look(index + 1)}>${cell}</td>`)}</tr>`,
  )}</tbody></table></div>`;
};

/** "184 ms", the unit in grey. */
export const figureCell = ({ figure, unit }: Figure): Markup =>
  unit === '' ? markup`${figure}` : markup`${figure}<span class="unit">\u00a0${unit}</span>`;

export const folded = (
  title: string,
  rows: readonly (readonly [name: string, text: MarkupValue])[],
): Markup =>
  markup`<details><summary>${title}</summary><dl>${rows.map(([name, text]) => markup`<dt>${name}</dt><dd>${text}</dd>`)}</dl></details>`;

/** The last rows of the settings of a document. */
export const madeBy = ({
  environment,
  plimsoll,
  schema,
}: {
  readonly environment: ReportEnvironment;
  readonly plimsoll: { readonly version: string };
  readonly schema: string;
}): readonly (readonly [name: string, text: string])[] => [
  ['Client', environmentText(environment)],
  ['Plimsoll', `${plimsoll.version}, schema ${schema}`],
];

export const foldedList = (title: string, sentences: readonly string[]): Markup | undefined =>
  sentences.length === 0
    ? undefined
    : markup`<details><summary>${title}</summary><ul>${sentences
        .slice(0, SENTENCES_SHOWN_MAX)
        .map(sentence => markup`<li>${sentence}</li>`)}${
        sentences.length > SENTENCES_SHOWN_MAX
          ? markup`<li>and ${String(sentences.length - SENTENCES_SHOWN_MAX)} more in the JSON</li>`
          : undefined
      }</ul></details>`;

interface RawDocument {
  readonly file: string;
  readonly json: string;
}

/** Embedded in the file: saved by a link, which needs neither a script nor a server. */
const pageFoot = ({ file, json }: RawDocument): Markup => {
  const sha256 = createHash('sha256').update(json).digest('hex');
  const isInside = Buffer.byteLength(json) <= EMBEDDED_BYTES_MAX;
  return markup`
<div class="foot"><span>${isInside ? 'One file: nothing is fetched, the raw figures are inside it.' : 'One file: nothing is fetched.'}${
    isInside
      ? markup` <a class="screen" download="${file}" href="data:application/json;base64,${Buffer.from(json).toString('base64')}">Save ${file}</a>`
      : undefined
  }</span><span class="push">${file} sha256 ${sha256.slice(0, 8)}…${sha256.slice(-4)}</span></div>`;
};

const LOGO = markup`<svg viewBox="0 0 38 24" fill="none" stroke="currentColor" aria-hidden="true"><circle cx="11.5" cy="12" r="7.6" stroke-width="2.2"/><path d="M0.5 12H22.5" stroke-width="2.2"/><path d="M29 2.2V21.8" stroke-width="1.5"/><path d="M29 3H37M29 8.2H34.5M29 12.9H37M29 17H34.5M29 21H34.5" stroke-width="1.5"/></svg>`;
const LEVEL_MARK = markup`<svg viewBox="0 0 56 40" width="56" height="40" aria-hidden="true"><circle cx="28" cy="20" r="14.5"/><path d="M1 20H55"/></svg>`;
const SUNK_MARK = markup`<svg viewBox="0 0 56 40" width="56" height="40" aria-hidden="true"><path d="M1 8H55"/><circle cx="28" cy="22" r="14.5" stroke-width="2.4" stroke-dasharray="6 4"/></svg>`;

/** Limit for sentences of one kind: notices. */
const SENTENCES_SHOWN_MAX = 40;
/** A report of a run takes 60 KB, that of a line some KB a stage. */
const EMBEDDED_BYTES_MAX: number = 512 * 1024;

// One self-contained HTML file: no script, nothing fetched, and a policy that refuses both in case any got in. Its
// style is allowed by its hash, so style attributes of elements are refused.
interface ReportPage {
  /** Of the window. */
  readonly title: string;
  readonly fonts: readonly FontFace[];
  readonly head: PageHead;
  readonly content: Markup;
  readonly raw: RawDocument;
}

export const reportPage = ({ title, fonts, head, content, raw }: ReportPage): string => {
  // Only rules made here, never foreign text. A browser hashes the text between the tags, byte by byte.
  const text = `\n${pageStyle(fonts).trim()}\n`;
  const hash = createHash('sha256').update(text).digest('base64');
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(hash)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title} · Plimsoll report</title>
<link rel="icon" href="data:,">
<style>${rawMarkup(text)}</style>
</head>
<body>
<main class="sheet">${pageHead(head)}${content}${pageFoot(raw)}
</main>
</body>
</html>
`.markup;
};

/** Only what the file contains: its style, its fonts, the empty icon. */
const policy = (styleHash: string): string =>
  [
    `default-src 'none'`,
    `style-src 'sha256-${styleHash}'`,
    'font-src data:',
    'img-src data:',
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
