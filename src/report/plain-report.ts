// A plain document in the forms that leave the machine: its sections as Markdown, as one HTML page, and their tables as CSV.

import { capitalized, jsonLines } from '../core/text/single-line.ts';
import { knownOr } from '../core/unknown.ts';
import type { PlainReport } from '../render/document/plain-kind.ts';
import { cutTexts } from '../render/document/plain-text.ts';
import { sectionCellText } from '../render/section.ts';
import { markup } from '../render/text/markup.ts';
import { csvLine } from './csv/csv-line.ts';
import { againSection, reportPage, sectionMarkup, verdictBand } from './html/page-parts.ts';
import type { FontFace } from './html/page-style.ts';
import { type PageSignature, signatureSection } from './html/signature-section.ts';
import { answerLead, codeCell, documentMarkdown } from './markdown/markdown-text.ts';

export const plainMarkdown = (report: PlainReport): string => {
  const { title, document, target, load, result, sections } = report;
  return documentMarkdown({
    heading: title,
    lead: answerLead(cutTexts(report), capitalized([result, load].filter(text => text !== '').join(', '))),
    sections,
    facts: [
      ['Run', codeCell(document.id)],
      ...(target === '' ? [] : [['Target', codeCell(target)] as const]),
      ['Again', codeCell(document.command)],
    ],
  });
};

export const plainPage = (
  report: PlainReport,
  fonts: readonly FontFace[],
  signature?: PageSignature,
): string => {
  const { form, title, document, target, load, result, verdict, sections } = report;
  const cut = cutTexts(report);
  return reportPage({
    title: `${title} ${document.id}`,
    fonts,
    head: {
      kind: `Plimsoll ${title.toLowerCase()}`,
      id: document.id,
      startedAt: document.startedAt,
      title: knownOr(document.name, title),
      subtitle: target,
      tags: [],
    },
    content: markup`${verdictBand({
      tone: cut.length > 0 && verdict.tone === 'good' ? 'caution' : verdict.tone,
      headline: `${capitalized(result === '' ? load : result)}.`,
      reasons: [...cut, ...verdict.reasons],
      sentence: `${capitalized(load)}.`,
    })}${sections.map(section => sectionMarkup(section))}${againSection(document.command)}${signature && signatureSection(signature)}`,
    raw: { file: `${form}.json`, json: jsonLines(document) },
  });
};

/** Its tables, one below the other. */
export const plainCsv = ({ sections }: PlainReport): string =>
  sections
    .flatMap(({ tables = [] }) => tables)
    .map(({ columns, rows }) => [columns, ...rows.map(row => row.map(sectionCellText))].map(csvLine).join(''))
    .join('\n');
