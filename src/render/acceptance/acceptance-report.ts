// An acceptance as a document: every failed check in a row of its own, those that could not be judged by check and reason, and the
// passed ones counted by check with the figure that came closest to its limit. The JSON has each.

import {
  type Acceptance,
  acceptanceSchema,
  type JudgedCheck,
  type JudgedStage,
  LIMIT_SOURCES,
} from '../../core/acceptance/acceptance-document.ts';
import { unitText } from '../../core/acceptance/limit.ts';
import { counted, UNKNOWN_FIGURE } from '../../core/figure/figure.ts';
import { isKnown, isUnknown } from '../../core/unknown.ts';
import type { PlainKind } from '../document/plain-kind.ts';
import { type Section, type SectionCell, type SectionTable, withRows } from '../section.ts';

export const ACCEPTANCE: PlainKind<Acceptance> = {
  form: 'acceptance',
  title: 'Acceptance',
  command: 'accept',
  schema: acceptanceSchema,
  target: ({ nodes }) => (nodes.length > NAMED_NODES ? counted(nodes.length, 'node') : nodes.join(', ')),
  findings: ({ stages, outcome }) => {
    const checks = stages.flatMap(stage => stage.checks);
    const of = (result: JudgedCheck['result']): number => countOf(checks, result);
    return {
      load: counted(checks.length, 'check'),
      result: `${OUTCOMES[outcome]}: ${of('pass')} passed, ${of('fail')} failed, ${of('undecided')} cannot be judged`,
    };
  },
  verdict: ({ outcome, stages }) => {
    // A name of a node is not a word that begins a sentence.
    const reasons = stages.flatMap(({ checks }) =>
      checks.flatMap(({ result, title, subject, reason }) =>
        result === 'fail' ? `${title}: ${subject}: ${reason}` : [],
      ),
    );
    const more = reasons.length - REASONS_MAX;
    return {
      tone: TONES[outcome],
      reasons: [...reasons.slice(0, REASONS_MAX), ...(more > 0 ? [`${more} more, in the tables below`] : [])],
    };
  },
  sections: ({ stages, skipped }) => [
    ...stages.flatMap(stageSection),
    ...(skipped.length === 0
      ? []
      : [{ key: 'skipped', title: 'Not judged by the plan', lead: [skipped.join(', ')] }]),
  ],
};

const stageSection = ({ key, title, checks }: JudgedStage): readonly Section[] => {
  const passed = checks.filter(({ result }) => result === 'pass');
  if (checks.length === 0)
    return [
      { key, title, lead: ['There is nothing of this kind in the cluster, or nothing was seen of it.'] },
    ];
  return [
    {
      key,
      title,
      count: `${passed.length} of ${checks.length} passed`,
      tables: withRows(
        failedTable(
          `${title}: failed`,
          checks.filter(({ result }) => result === 'fail'),
        ),
        undecidedTable(
          `${title}: cannot be judged`,
          checks.filter(({ result }) => result === 'undecided'),
        ),
        {
          name: `${title}: passed`,
          columns: [
            `${title}: passed`,
            'how many',
            'closest to its limit',
            'measured',
            'limit',
            'limit from',
          ],
          texts: [0, 2, 5],
          rows: [...Map.groupBy(passed, ({ check }) => check).values()].flatMap(passedRow),
          leaving: [[5]],
        },
      ),
    },
  ];
};

const failedTable = (name: string, checks: readonly JudgedCheck[]): SectionTable => ({
  name,
  columns: [name, 'check', 'measured', 'limit', 'limit from', 'reason'],
  texts: [0, 1, 4, 5],
  rows: checks
    .slice(0, ROWS_MAX)
    .map(check => [
      { text: check.subject, tone: 'bad' },
      check.title,
      cellOf(check, check.value),
      cellOf(check, check.limit),
      LIMIT_SOURCES[check.from],
      check.reason,
    ]),
});

/** A row for each check and reason: a cluster may have a hundred devices that were never busy. */
const undecidedTable = (name: string, checks: readonly JudgedCheck[]): SectionTable => ({
  name,
  columns: [name, 'how many', 'parts', 'reason'],
  texts: [0, 2, 3],
  rows: [...Map.groupBy(checks, ({ check, reason }) => `${check} ${reason}`).values()]
    .slice(0, ROWS_MAX)
    .flatMap(equal => {
      const [first] = equal;
      if (first === undefined) return [];
      const named = equal.slice(0, NAMED_PARTS).map(({ subject }) => subject);
      const more = equal.length - named.length;
      return [
        [
          { text: first.title, tone: 'caution' },
          String(equal.length),
          [named.join('; '), ...(more === 0 ? [] : [`${more} more`])].join(' and '),
          first.reason,
        ],
      ];
    }),
});

const passedRow = (checks: readonly JudgedCheck[]): readonly (readonly SectionCell[])[] => {
  const [first] = checks;
  if (first === undefined) return [];
  const closest = checks.toSorted((a, b) => distance(a) - distance(b))[0] ?? first;
  return [
    [
      { text: first.title, tone: 'good' },
      String(checks.length),
      closest.subject,
      cellOf(closest, closest.value),
      cellOf(closest, closest.limit),
      LIMIT_SOURCES[closest.from],
    ],
  ];
};

/** How far a figure is from its limit, as a share of that. */
const distance = ({ value, limit }: JudgedCheck): number =>
  isUnknown(value) || isUnknown(limit) || limit === 0
    ? Number.POSITIVE_INFINITY
    : Math.abs(value - limit) / Math.abs(limit);

const cellOf = ({ unit }: JudgedCheck, value: JudgedCheck['value']): SectionCell =>
  isKnown(value) ? unitText(unit, value) : UNKNOWN_FIGURE;

const countOf = (checks: readonly JudgedCheck[], result: JudgedCheck['result']): number =>
  checks.filter(check => check.result === result).length;

const OUTCOMES: Readonly<Record<Acceptance['outcome'], string>> = {
  pass: 'fit for use',
  fail: 'not fit for use',
  undecided: 'undecided',
};
const TONES = { pass: 'good', fail: 'bad', undecided: 'open' } as const;
const NAMED_NODES = 8;
const NAMED_PARTS = 4;
const REASONS_MAX = 20;
/** The JSON has all of them. */
const ROWS_MAX = 500;
