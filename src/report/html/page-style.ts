// The style of a report in HTML: a sheet of paper on the screen, light or dark as the reader's system is, and always
// light on real paper, A4, with the result on the first page. docs/words.md has the words, dashboard/src/look the
// colours.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ChartTokens, chartRules, DARK_TOKENS, LIGHT_TOKENS } from '../../render/chart/chart-look.ts';

export const pageStyle = (fonts: readonly FontFace[]): string =>
  [
    ...fonts.map(
      ({ family, weight, base64 }) =>
        `@font-face { font-family: "${family}"; font-weight: ${weight}; src: url("data:font/woff2;base64,${base64}") format("woff2"); }`,
    ),
    `:root { color-scheme: light; ${values(LIGHT_TOKENS)} }`,
    `@media screen and (prefers-color-scheme: dark) { :root { color-scheme: dark; ${values(DARK_TOKENS)} } }`,
    RULES,
    chartRules(name => `var(--${name})`),
    PRINT,
  ].join('\n');

const values = (tokens: ChartTokens): string =>
  Object.entries(tokens)
    .map(([name, value]) => `--${name}: ${value};`)
    .join(' ');

const RULES = `
:root { --font: "Plex", "IBM Plex Sans", system-ui, -apple-system, "Segoe UI", sans-serif; --tight: "Plex Condensed", "IBM Plex Sans Condensed", "Arial Narrow", var(--font); --mono: "Plex Mono", "IBM Plex Mono", ui-monospace, Menlo, Consolas, monospace; }
*, *::before, *::after { box-sizing: border-box; }
body { margin: 0; background: var(--inset); color: var(--ink); font: 400 13px/1.5 var(--font); font-variant-numeric: tabular-nums; -webkit-font-smoothing: antialiased; }
h1, h2, p, dl, dd, ul, figure { margin: 0; padding: 0; }
ul { list-style: none; }
a { color: inherit; }
:focus-visible { outline: 2px solid var(--water-mark); outline-offset: 2px; }
.sheet { max-width: 860px; margin: 32px auto; padding: 44px 56px 36px; background: var(--surface); border: 1px solid var(--rule); overflow-wrap: anywhere; }
.top { display: flex; align-items: center; gap: 12px; font-size: 12px; color: var(--ink-3); }
.top svg { flex: none; width: 38px; height: 24px; color: var(--ink); }
.push { margin-left: auto; text-align: right; }
h1 { margin-top: 20px; font-size: 28px; font-weight: 600; line-height: 1.2; letter-spacing: -0.02em; }
.sub { margin-top: 4px; font-size: 15px; color: var(--ink-2); }
.tags { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 8px; }
.tags li { padding: 0 7px; border-radius: 3px; background: var(--inset); color: var(--ink-2); font-size: 12px; }
.verdict { display: grid; grid-template-columns: 56px 1fr; gap: 0 16px; align-items: start; margin-top: 20px; padding: 14px 0; border-top: 2px solid var(--ink); border-bottom: 1px solid var(--rule); }
.verdict svg { fill: none; stroke: var(--ink-3); stroke-width: 3.4; }
.verdict.good svg { stroke: var(--good-mark); }
.verdict.caution svg { stroke: var(--caution-mark); }
.verdict strong { font-size: 20px; font-weight: 600; line-height: 1.2; letter-spacing: -0.01em; }
.verdict.good strong { color: var(--good); }
.verdict.caution strong { color: var(--caution); }
.verdict.bad strong { color: var(--danger); }
.verdict.bad svg { stroke: var(--danger-mark); }
.failures { margin-top: 12px; }
.failures table { width: 100%; }
.failures .text { white-space: nowrap; }
.failures td.text:last-child { white-space: normal; width: 100%; }
.verdict p { color: var(--ink-2); }
.verdict ul { margin-bottom: 4px; }
.verdict li { color: var(--ink); font-weight: 500; }
.six { display: grid; grid-template-columns: repeat(3, 1fr); border-bottom: 1px solid var(--rule); }
.six > div { padding: 14px 0 12px 20px; border-left: 1px solid var(--rule); min-width: 0; }
.six > div:nth-child(3n+1) { padding-left: 0; border-left: 0; }
.six > div:nth-child(n+4) { border-top: 1px solid var(--rule); }
.six dt, .unit { color: var(--ink-3); }
.six dt { font-size: 12px; }
.six .figure { font: 500 30px/1.15 var(--font); letter-spacing: -0.025em; }
.six .figure small { font: 400 13px/1 var(--tight); letter-spacing: 0; color: var(--caution); margin-right: 6px; }
.six .figure .unit { margin-left: 3px; font: 400 15px/1 var(--font); letter-spacing: 0; color: var(--ink-2); }
.six .remark { font: 400 12px/1.5 var(--tight); color: var(--ink-2); }
.lead { margin-top: 18px; max-width: 68ch; font-size: 15px; line-height: 1.55; color: var(--ink-2); }
.lead b { color: var(--ink); font-weight: 600; }
.objectives { margin-top: 8px; color: var(--ink-2); font-family: var(--tight); }
section { margin-top: 26px; break-inside: avoid; min-width: 0; }
section > h2 { display: flex; flex-wrap: wrap; gap: 2px 8px; align-items: baseline; padding-bottom: 6px; font-size: 15px; font-weight: 600; line-height: 1.2; }
section > h2 small { font: 400 12px/1.2 var(--font); color: var(--ink-3); }
.details { columns: 2; column-gap: 32px; }
.details th + th, .details td { padding-left: 6px; }
.two { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 32px; align-items: start; }
.picture svg { display: block; width: 100%; height: auto; overflow: visible; }
.none { color: var(--ink-3); }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font: 400 13px/1.3 var(--tight); }
th, td { padding: 4px 0 4px 12px; border-bottom: 1px solid var(--rule); text-align: right; vertical-align: baseline; white-space: nowrap; }
th { font-weight: 400; font-size: 12px; color: var(--ink-3); }
th:first-child, td:first-child { padding-left: 0; text-align: left; }
tbody th { font: inherit; color: inherit; }
td.text, th.text { min-width: 10ch; text-align: left; white-space: normal; }
th.text:first-child { min-width: 18ch; overflow-wrap: anywhere; }
tr:last-child > * { border-bottom: 0; }
td:has(.note) { white-space: normal; } .note { white-space: nowrap; }
td .held { color: var(--good); } td .failed { color: var(--danger); } td .open { color: var(--caution); }
.folded { margin-top: 26px; }
details { padding: 9px 0; border-top: 1px solid var(--rule); }
summary { font-weight: 600; cursor: pointer; }
details > dl { display: grid; grid-template-columns: minmax(88px, 148px) 1fr; gap: 5px 16px; margin-top: 8px; }
details dt { font-weight: 500; }
details dd { color: var(--ink-2); }
details > ul { margin-top: 8px; color: var(--ink-2); }
code { font: 400 12px/1.5 var(--mono); }
.command { display: block; margin-top: 8px; padding: 7px 10px; background: var(--inset); border-radius: 3px; }
.foot { display: flex; flex-wrap: wrap; gap: 4px 16px; margin-top: 22px; padding-top: 10px; border-top: 1px solid var(--rule); font-size: 12px; color: var(--ink-3); }
@media screen and (max-width: 720px) {
  .sheet { margin: 0; border: 0; padding: 20px 16px; }
  .top { flex-wrap: wrap; } .top .push { margin-left: 0; text-align: left; }
  h1 { font-size: 24px; }
  .two { grid-template-columns: minmax(0, 1fr); } .details { columns: 1; }
  .six { grid-template-columns: 1fr 1fr; }
  .six > div:nth-child(n) { padding-left: 0; border-left: 0; border-top: 0; }
  .six > div:nth-child(n+3) { border-top: 1px solid var(--rule); }
  .six > div:nth-child(even) { padding-left: 16px; border-left: 1px solid var(--rule); }
  .six .figure { font-size: 24px; }
  .picture { overflow-x: auto; } .picture svg { min-width: 480px; } .two .picture svg { min-width: 0; }
  details > dl { grid-template-columns: 1fr; } details > dl dd { margin-bottom: 6px; }
}
`;

/** Folded parts are open on paper; the result has the first page, tables begin the second. */
const PRINT = `
@page { size: A4; margin: 14mm 15mm; }
@media print {
  :root { --ink: #000; --ink-2: #26343b; --ink-3: #4b5b63; --rule: #c9d2d5; --bg: #fff; --inset: #eef1f2; }
  body { background: #fff; font-size: 10pt; }
  .sheet { max-width: none; margin: 0; padding: 0; border: 0; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  section { margin-top: 12px; }
  .six > div { padding: 7px 0 6px 16px; }
  .six .figure { font-size: 24px; }
  .lead { margin-top: 10px; }
  table { font-size: 11px; }
  th { font-size: 10px; }
  th, td { padding-left: 8px; }
  .two td:last-child { white-space: normal; }
  h1 { margin-top: 10px; font-size: 24px; }
  .failures { margin-top: 6px; }
  .failures h2 { display: none; }
  .next-page { break-before: page; margin-top: 0; }
  details::details-content { content-visibility: visible; block-size: auto; }
  summary { list-style: none; }
  .folded { break-before: page; margin-top: 0; }
  details { break-inside: auto; }
  .screen { display: none; }
}
`;

// The fonts of a report, embedded in it, so that it looks the same on a machine without Plimsoll. IBM Plex may be
// embedded (SIL Open Font License 1.1). The files are those that the dashboard is built with.
export interface FontFace {
  readonly family: string;
  readonly weight: number;
  readonly base64: string;
}

/**
 * @param dashboardDir folder of the built dashboard. Empty if it is not built: a report then uses fonts of the
 * reader's machine.
 */
export const fontFaces = async (dashboardDir: string): Promise<readonly FontFace[]> => {
  const folder = join(dashboardDir, 'assets');
  const names = await readdir(folder).catch((): readonly string[] => []);
  const faces = await Promise.all(
    FACES.map(async ({ file, family, weight }) => {
      const name = names.find(each => each.startsWith(file) && each.endsWith('.woff2'));
      if (name === undefined) return undefined;
      const bytes = await readFile(join(folder, name)).catch(() => undefined);
      return bytes === undefined ? undefined : { family, weight, base64: bytes.toString('base64') };
    }),
  );
  return faces.filter(face => face !== undefined);
};

/** Those that a report uses. */
const FACES = [
  { file: 'ibm-plex-sans-latin-400-', family: 'Plex', weight: 400 },
  { file: 'ibm-plex-sans-latin-600-', family: 'Plex', weight: 600 },
  { file: 'ibm-plex-sans-condensed-latin-400-', family: 'Plex Condensed', weight: 400 },
  { file: 'ibm-plex-sans-condensed-latin-500-', family: 'Plex Condensed', weight: 500 },
  { file: 'ibm-plex-mono-latin-400-', family: 'Plex Mono', weight: 400 },
] as const;
