// A section is declared once: every format contains all of them, and names none.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import { expect, test } from 'vitest';
import type { Report } from '../../../src/core/run/report.ts';
import { runSections } from '../../../src/render/run/run-sections.ts';
import { renderReport } from '../../../src/render/run/text-report.ts';
import { type Section, sectionCellText } from '../../../src/render/section.ts';
import { runPage } from '../../../src/report/html/run-page.ts';
import { runMarkdown } from '../../../src/report/markdown/run-markdown.ts';
import { reportFromJson } from '../../../src/wire/stored-json.ts';

/** A report with everything that a report may have. */
const whole = ((): Report => {
  const documents: { readonly report: unknown } = JSON.parse(
    readFileSync(new URL('../../fixtures/versions/1/documents.json', import.meta.url), 'utf8'),
  );
  return reportFromJson(JSON.stringify(documents.report));
})();

/** Its sentences, the titles of its columns and its cells. */
const textsOf = ({ lead = [], tables = [], remarks = [] }: Section): readonly string[] =>
  [
    ...lead,
    ...tables.flatMap(({ columns, rows }) => [...columns, ...rows.flat().map(sectionCellText)]),
    ...remarks,
  ].filter(text => text !== '');

/** Without what a format adds to letters, and as it may begin a sentence or not. */
const plain = (text: string): string =>
  text
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&(?:amp|lt|gt|quot);/g, entity => ENTITIES[entity] ?? entity)
    .replace(/[\\`]/g, '')
    // A unit of its own element.
    .replace(/<span class="unit">([^<]*)<\/span>/g, '$1')
    .toLowerCase();

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

const missingIn = (text: string, sections = runSections(whole)): readonly string[] => {
  const found = plain(text);
  return sections.flatMap(textsOf).filter(each => !found.includes(plain(each)));
};

test('a run with everything has every section, each with a key of its own', () => {
  expect(runSections(whole).map(({ key }) => key)).toEqual([
    ...['scenario', 'outcomes', 'errors', 'finish-reasons', 'rates', 'stalls', 'client', 'server'],
    ...['variants', 'agents', 'sessions', 'prefix-cache', 'speculation', 'headroom', 'energy', 'cost'],
  ]);
});

test('each row and each column of a section has a name, which a screen reader reads', () => {
  const tables = runSections(whole).flatMap(({ tables = [] }) => tables);
  expect(tables.flatMap(({ columns }) => columns)).not.toContain('');
  expect(tables.flatMap(({ rows }) => rows.map(([first = '']) => sectionCellText(first)))).not.toContain('');
});

test('the full text, HTML, and Markdown but for details, have every sentence and cell of every section', () => {
  expect(missingIn(renderReport(whole, { isUnicode: true, isFull: true }).join('\n'))).toEqual([]);
  const short = runSections(whole).filter(({ isDetail }) => isDetail !== true);
  expect(missingIn(runMarkdown(whole), short)).toEqual([]);
  expect(missingIn(runPage({ report: whole, overTime: undefined, fonts: [] }))).toEqual([]);
});

test('so has the panel of the page', async () => {
  const vite = await createServer({
    configFile: fileURLToPath(new URL('../../../dashboard/vite.config.ts', import.meta.url)),
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
    appType: 'custom',
    logLevel: 'error',
  });
  try {
    const { default: Panel } = await vite.ssrLoadModule('/src/run/section-panel.svelte');
    const { render } = await vite.ssrLoadModule('svelte/server');
    const panels = runSections(whole).map(section => String(render(Panel, { props: { section } }).body));
    expect(missingIn(panels.join('\n'))).toEqual([]);
  } finally {
    await vite.close();
  }
});
