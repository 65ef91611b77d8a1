// The settings of an engine as text, for terminals: what the links carry, what is wrong with them, what to run first, and
// each file as it is.

import { formatNanoseconds } from '../core/figure/duration.ts';
import { figureText, formatBitsPerSecond } from '../core/figure/figure.ts';
import { inColumns } from '../core/text/columns.ts';
import { showable } from '../core/text/single-line.ts';
import { isUnknown } from '../core/unknown.ts';
import { ENGINE_ROWS } from '../core/wiring/engine-rows.ts';
import type { WiringFile, WiringFinding, WiringLink, WiringPlan } from '../core/wiring/wiring-plan.ts';

export const wiringLines = ({
  engine,
  documented,
  nodes,
  leftOut,
  links,
  findings,
  setup,
  files,
  notes,
}: WiringPlan): readonly string[] => [
  `${ENGINE_ROWS[engine].title} on ${nodes.length === 0 ? 'no node' : nodes.map(({ name }) => name).join(', ')} (settings of ${documented})`,
  ...leftOut.map(({ name, reason }) => `  without ${name}: ${reason}`),
  ...(links.length === 0 ? [] : ['', 'Links:', ...inColumns(links.map(linkRow))]),
  ...(findings.length === 0 ? [] : ['', 'What is wrong:', ...findings.flatMap(findingLines)]),
  ...(setup.length === 0
    ? []
    : [
        '',
        'Run first, until the next restart:',
        ...inColumns(setup.map(({ on, command }) => [on, command])),
      ]),
  ...(notes.length === 0 ? [] : ['', ...notes.map(note => `note: ${note}`)]),
  ...files.flatMap(fileLines),
];

const linkRow = ({ nodes, type, interfaces, bitsPerSecond, roundTripNs }: WiringLink): readonly string[] => [
  nodes.join(' – '),
  type,
  interfaces.join(' – '),
  isUnknown(bitsPerSecond)
    ? `unknown: ${bitsPerSecond.reason}`
    : [
        figureText(formatBitsPerSecond(bitsPerSecond)),
        ...(isUnknown(roundTripNs) ? [] : [figureText(formatNanoseconds(roundTripNs))]),
      ].join(', '),
];

const findingLines = ({ level, title, why, steps }: WiringFinding): readonly string[] => [
  `  ${MARKS[level]} ${title}`,
  `    ${why}`,
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
