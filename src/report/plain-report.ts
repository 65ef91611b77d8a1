// A plain document in the forms that leave the machine: its sections as Markdown, as one HTML page, and their tables as CSV.

import { formatMoment } from '../core/figure/duration.ts';
import { capitalized, jsonLines } from '../core/text/single-line.ts';
import { knownOr } from '../core/unknown.ts';
import type { PlainReport } from '../render/document/plain-kind.ts';
import { cutTexts } from '../render/document/plain-text.ts';
import { sectionCellText } from '../render/section.ts';
import { markup } from '../render/text/markup.ts';
import { csvLine } from './csv/csv-line.ts';
import { htmlPage, pageFoot, pageHead, pageSection, sectionMarkup, verdictBand } from './html/page-parts.ts';
import { type FontFace, pageStyle } from './html/page-style.ts';
import { codeCell, markdownTable, markdownText, sectionMarkdown } from './markdown/markdown-text.ts';

export const plainMarkdown = (report: PlainReport): string => {
  const { title, document, target, load, result, sections } = report;
  return `${[
    `## ${title}`,
    '',
    ...cutTexts(report).map(text => `- ⚠ ${markdownText(capitalized(text))}`),
    markdownText(capitalized([result, load].filter(text => text !== '').join(', '))),
    '',
    ...sections.flatMap(sectionMarkdown),
    ...markdownTable(
      ['Run', codeCell(document.id)],
      [...(target === '' ? [] : [['Target', codeCell(target)]]), ['Again', codeCell(document.command)]],
      { figures: [] },
    ),
  ].join('\n')}\n`;
};

export const plainPage = (report: PlainReport, fonts: readonly FontFace[]): string => {
  const { form, title, document, target, load, result, sections } = report;
  const cut = cutTexts(report);
  return htmlPage({
    title: `${title} ${document.id} · Plimsoll report`,
    style: pageStyle(fonts),
    body: markup`<main class="sheet">${pageHead({
      kind: `Plimsoll ${title.toLowerCase()}`,
      when: `${document.id} · ${formatMoment(document.startedAt)}`,
      title: knownOr(document.name, title),
      subtitle: target,
      tags: [],
    })}${verdictBand({
      tone: cut.length > 0 ? 'caution' : 'good',
      headline: `${capitalized(result === '' ? load : result)}.`,
      reasons: cut,
      sentence: `${capitalized(load)}.`,
    })}${sections.map(section => sectionMarkup(section))}${pageSection({
      title: 'Again',
      content: markup`<code class="command">${document.command}</code>`,
    })}${pageFoot({ file: `${form}.json`, json: jsonLines(document) })}
</main>`,
  });
};

/** Its tables, one below the other. */
export const plainCsv = ({ sections }: PlainReport): string =>
  sections
    .flatMap(({ tables = [] }) => tables)
    .map(({ columns, rows }) => [columns, ...rows.map(row => row.map(sectionCellText))].map(csvLine).join(''))
    .join('\n');
