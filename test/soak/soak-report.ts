// The results of the pieces of a soak: the trend of each measure of each process that lived through a piece,
// as a table in Markdown and as pictures.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { soakPicture } from './soak-picture.ts';
import type { SoakRow } from './soak-row.ts';
import { MEASURES, type SoakSeries, seriesOf } from './soak-series.ts';

/** Writes soak.md and one picture a measure into the folder. @returns the table, and whether anything grows or failed */
export const reportSoak = (out: string): { readonly text: string; readonly isGood: boolean } => {
  const pieces = readdirSync(out).filter(name => /^piece-\d+$/.test(name));
  const numbers = pieces.map(name => Number(name.slice('piece-'.length))).sort((a, b) => a - b);
  const series = numbers.flatMap(piece =>
    seriesOf(piece, linesIn<SoakRow>(join(out, `piece-${piece}`, 'rows.jsonl'))),
  );
  const faults = numbers.flatMap(piece =>
    linesIn<{ readonly what?: string }>(join(out, `piece-${piece}`, 'events.jsonl'))
      .filter(({ what }) => what?.startsWith('fault'))
      .map(event => `piece ${piece}: ${JSON.stringify(event)}`),
  );
  for (const measure of MEASURES) {
    const shown = series.filter(one => one.measure === measure && one.points.length > 1);
    if (shown.length > 0) writeFileSync(join(out, `soak-${measure.key}.svg`), soakPicture(measure, shown));
  }
  const text = [...soakTable(series), '', ...faultLines(faults)].join('\n');
  writeFileSync(join(out, 'soak.md'), `${text}\n`);
  return { text, isGood: faults.length === 0 && series.every(({ trend }) => trend.kind !== 'grows') };
};

const soakTable = (series: readonly SoakSeries[]): readonly string[] => [
  '| piece | process | measure | first – last | slope an hour, 95 % interval | limit | verdict |',
  '|---|---|---|---|---|---|---|',
  ...series.map(({ piece, process, measure, points, trend }) => {
    const [first, last] = [points[0]?.value ?? 0, points.at(-1)?.value ?? 0];
    const fit = trend.kind === 'too short' ? trend.fit : trend;
    const figures =
      fit === undefined
        ? `${trend.points} points`
        : `${fit.slope.toFixed(2)} (${fit.low.toFixed(2)} to ${fit.high.toFixed(2)})`;
    const slope = `${figures} over ${trend.hours.toFixed(2)} h after the warm-up`;
    return `| ${piece} | ${process} | ${measure.name}, ${measure.unit} | ${first.toFixed(1)} – ${last.toFixed(1)} | ${slope} | ${measure.limit} | ${trend.kind} |`;
  }),
];

const faultLines = (faults: readonly string[]): readonly string[] =>
  faults.length === 0
    ? ['Nothing failed.']
    : [`${faults.length} things failed:`, '', ...faults.slice(0, FAULTS_SHOWN).map(fault => `- ${fault}`)];

/** A piece that was killed may end in half a line. */
const linesIn = <T>(file: string): readonly T[] => {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(line => line !== '')
    .map((line): T => JSON.parse(line));
};

const FAULTS_SHOWN = 20;
