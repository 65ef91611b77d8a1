// The settings of an engine as text, for terminals: what the links carry, what is wrong with them, what to run first, and
// each file as it is.

import { formatNanoseconds } from '../core/figure/duration.ts';
import { figureText, formatBitsPerSecond } from '../core/figure/figure.ts';
import { brokenLines, hangingLines, inColumns, textWidth, wrapped } from '../core/text/columns.ts';
import { showable } from '../core/text/single-line.ts';
import { isUnknown } from '../core/unknown.ts';
import { ENGINE_ROWS } from '../core/wiring/engine-rows.ts';
import type {
  WiringFile,
  WiringFinding,
  WiringLink,
  WiringPlan,
  WiringStep,
} from '../core/wiring/wiring-plan.ts';

/** @param columns of sentences and links; commands and files are never broken, because people copy them */
export const wiringLines = (
  { engine, documented, nodes, leftOut, links, findings, setup, files, start, notes }: WiringPlan,
  columns: number,
): readonly string[] => [
  ...brokenLines(
    `${ENGINE_ROWS[engine].title} on ${nodes.length === 0 ? 'no node' : nodes.map(({ name }) => name).join(', ')} (settings of ${documented})`,
    columns,
  ),
  ...leftOut.flatMap(({ name, reason }) => hangingLines('  ', `without ${name}: ${reason}`, columns)),
  ...(links.length === 0 ? [] : ['', 'Links:', ...linkLines(links, columns)]),
  ...findingsUnder(
    'What is wrong:',
    findings.filter(({ isRemark }) => !isRemark),
    columns,
  ),
  ...findingsUnder(
    'Between nodes that these settings do not connect:',
    findings.filter(({ isRemark }) => isRemark),
    columns,
  ),
  ...stepLines('Run first, until the next restart:', setup),
  ...(notes.length === 0 ? [] : ['', ...notes.flatMap(note => hangingLines('note: ', note, columns))]),
  ...files.flatMap(fileLines),
  ...stepLines(`Then start it${start.length > 1 ? ' with one of these,' : ''} where its file is:`, start),
];

const stepLines = (title: string, steps: readonly WiringStep[]): readonly string[] =>
  steps.length === 0 ? [] : ['', title, ...inColumns(steps.map(({ on, command }) => [on, command]))];

/** Round trips are left out where they do not fit: the order of paths is by rate. */
const linkLines = (links: readonly WiringLink[], columns: number): readonly string[] => {
  const full = inColumns(links.map(link => [...linkCells(link), rateText(link, true)]));
  if (full.every(line => textWidth(line) <= columns)) return full;
  return inColumns(links.map(link => [...linkCells(link), rateText(link, false)])).flatMap(line =>
    wrapped(line, columns),
  );
};

const linkCells = ({ nodes, type, interfaces }: WiringLink): readonly string[] => [
  nodes.join(' – '),
  type,
  interfaces.join(' – '),
];

const rateText = ({ bitsPerSecond, roundTripNs }: WiringLink, hasRoundTrip: boolean): string => {
  if (isUnknown(bitsPerSecond)) return `unknown: ${bitsPerSecond.reason}`;
  const rate = figureText(formatBitsPerSecond(bitsPerSecond));
  return hasRoundTrip && !isUnknown(roundTripNs)
    ? `${rate}, ${figureText(formatNanoseconds(roundTripNs))}`
    : rate;
};

const findingsUnder = (
  title: string,
  findings: readonly WiringFinding[],
  columns: number,
): readonly string[] =>
  findings.length === 0 ? [] : ['', title, ...findings.flatMap(finding => findingLines(finding, columns))];

const findingLines = ({ level, title, why, steps }: WiringFinding, columns: number): readonly string[] => [
  ...hangingLines(`  ${MARKS[level]} `, title, columns),
  ...hangingLines('    ', why, columns),
  ...steps.map(({ on, command }) => `    on ${on}: ${command}`),
];

/** Its text is for a shell or a parser: only what a terminal must not get is taken out. */
const fileLines = ({ name, nodes, text }: WiringFile): readonly string[] => [
  '',
  `${name}, on ${nodes.join(', ')}:`,
  ...text
    .trimEnd()
    .split('\n')
    .map(line => showable(line)),
];

const MARKS: Readonly<Record<WiringFinding['level'], string>> = { danger: '!!', caution: '!', note: '-' };
