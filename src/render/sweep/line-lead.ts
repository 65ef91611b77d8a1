// The result of a load line or sweep in two or three sentences, the answer first. Emphasised parts are
// marked, so that each surface shows them in its own way.

import { maximumOf } from '../../core/extremes.ts';
import { counted, formatCount, formatThreeDigits, formatTick } from '../../core/figure/figure.ts';
import type { Sweep } from '../../core/sweep/sweep.ts';
import type { LoadLine } from '../../core/sweep/sweep-document.ts';
import { capitalized } from '../../core/text/single-line.ts';
import {
  answersOffCurve,
  answerText,
  curveObjective,
  curveSeries,
  heldText,
  LIMIT_TEXTS,
  type LoadUnit,
  lineLoadText,
  loadText,
  objectiveTitle,
  requestObjectiveText,
  roundedNsText,
  shareText,
} from './line-text.ts';
import { hasEnded, loadOn, type PicturedStage, reportedTail } from './pictured-stage.ts';

interface LeadPart {
  readonly text: string;
  readonly isStrong: boolean;
}

interface LeadOptions {
  readonly sweep: LoadUnit & Pick<Sweep, 'form' | 'objectives' | 'attainment'>;
  readonly line: LoadLine;
  readonly stages: readonly PicturedStage[];
  readonly isLive: boolean;
  /** Why it ended early; '' if it did not. */
  readonly reason: string;
  /** "bosun", "the endpoint". */
  readonly target: string;
}

export const leadOf = (options: LeadOptions): readonly LeadPart[] =>
  options.sweep.form === 'line' ? lineLead(options) : sweepLead(options);

const lineLead = (options: LeadOptions): readonly LeadPart[] => {
  const { line, isLive, target, sweep } = options;
  const at = (load: number): string => loadPhrase(load, sweep);
  switch (line.kind) {
    case 'bracket':
      return isLive ? bracketSoFar(options, line) : bracketFound(options, line);
    case 'at-least':
      return isLive
        ? [
            plain('So far '),
            strong(`${at(line.holds)} held`),
            plain(`${sharePhrase(options, line.holds)}. Nothing has failed yet.`),
          ]
        : [
            strong(`${target} carries at least ${at(line.holds)}`),
            plain(
              `${sharePhrase(options, line.holds)}. Every load that could be decided held; ${LIMIT_TEXTS[line.limit]}.`,
            ),
          ];
    case 'at-most':
      return [
        strong(isLive ? `${at(line.fails)} failed` : `${target} carries less than ${at(line.fails)}`),
        plain(
          `${failPhrase(options, line.fails)}. ${isLive ? 'No load has held yet.' : `How much less is not known: ${LIMIT_TEXTS[line.limit]}.`}`,
        ),
      ];
    case 'none':
      return [
        strong('No load holds'),
        plain(
          `. The lowest that was tried is ${lineLoadText(line.fails, sweep)}${failPhrase(options, line.fails)}.`,
        ),
      ];
    case 'unknown':
      return [plain(isLive ? 'Nothing is known yet: ' : 'The line is not known: '), plain(`${line.reason}.`)];
    default:
      return line satisfies never;
  }
};

type Bracket = Extract<LoadLine, { readonly kind: 'bracket' }>;

const bracketFound = (options: LeadOptions, line: Bracket): readonly LeadPart[] => {
  const { sweep, target } = options;
  const tokens = heldStageAt(options, line.holds)?.outputTokensPerSecond;
  const failing = stageAt(options, line.fails, 'failed');
  const growth = failing?.growthPerMinute;
  const above =
    line.failsBy === 'over-capacity'
      ? [
          plain(
            growth === undefined
              ? 'the queue grows: it is not slow there, it is '
              : `the queue grows by ${requests(growth)} a minute: it is not slow there, it is `,
          ),
          strong('over capacity'),
          plain('.'),
        ]
      : [
          plain(
            `${failing?.attainment === undefined ? 'an objective is missed' : `only ${shareText(failing.attainment)} are`}: it still keeps up, but `,
          ),
          strong('too slowly'),
          plain('.'),
        ];
  return [
    strong(`${target} carries ${loadPhrase(line.holds, sweep)}`),
    plain(sharePhrase(options, line.holds)),
    plain(tokens === undefined ? '. ' : `, which is ${formatCount(Math.round(tokens))} output tokens/s. `),
    plain(`At ${lineLoadText(line.fails, sweep)} `),
    ...above,
  ];
};

const bracketSoFar = (options: LeadOptions, line: Bracket): readonly LeadPart[] => {
  const running = options.stages.find(({ standing }) => standing === 'running');
  const now =
    running?.attainment === undefined
      ? ''
      : ` At ${lineLoadText(loadOn(running, options.sweep.by) ?? 0, options.sweep)}, ${formatCount(Math.round(running.elapsedMs / 1_000))} s in, ${shareText(running.attainment)} are within the objectives.`;
  return [
    plain('So far '),
    strong(`${loadPhrase(line.holds, options.sweep)} held`),
    plain(`${sharePhrase(options, line.holds)}. `),
    strong(`${formatTick(line.fails)} failed`),
    plain(`${failPhrase(options, line.fails)}.${now}`),
  ];
};

const sweepLead = (options: LeadOptions): readonly LeadPart[] => {
  const { stages, isLive, reason, sweep } = options;
  const ended = stages.filter(hasEnded);
  const loadOf = (stage: PicturedStage): number => loadOn(stage, sweep.by) ?? 0;
  return [
    strong(`${capitalized(heldText(stages, sweep))}${isLive ? ' so far' : ''}`),
    plain(
      sweep.by === 'concurrency' && sweep.objectives.length === 0
        ? mostPhrase(ended)
        : heldPhrase(ended, loadOf, sweep),
    ),
    plain(reason === '' || isLive ? '' : ` It ended early: ${reason}.`),
  ];
};

/** ", the most output 1 268 tokens/s at 16 at a time." */
const mostPhrase = (ended: readonly PicturedStage[]): string => {
  const by = ended.toSorted((a, b) => (b.outputTokensPerSecond ?? 0) - (a.outputTokensPerSecond ?? 0))[0];
  return by?.outputTokensPerSecond === undefined
    ? '.'
    : `, the most output ${formatThreeDigits(by.outputTokensPerSecond)} tokens/s at ${loadText(by.load)}.`;
};

/** ", the highest 12/s. At 14/s and 16/s the queue grew; 13/s is undecided." */
const heldPhrase = (
  ended: readonly PicturedStage[],
  loadOf: (stage: PicturedStage) => number,
  unit: LoadUnit,
): string => {
  const heldLoads = ended.filter(({ standing }) => standing === 'held').map(loadOf);
  const highest = heldLoads.length === 0 ? '.' : `, the highest ${lineLoadText(maximumOf(heldLoads), unit)}.`;
  // The sentence already states that nothing was decided.
  if (
    ended.every(({ standing }) => standing === 'held' || standing === 'undecided') &&
    heldLoads.length === 0
  )
    return highest;
  const others = [
    ['an objective was missed', ended.filter(one => one.standing === 'failed' && !one.isOverCapacity)],
    ['the queue grew', ended.filter(one => one.standing === 'failed' && one.isOverCapacity)],
    ['there were too few requests to decide', ended.filter(({ standing }) => standing === 'undecided')],
    ['this client was the limit', ended.filter(({ standing }) => standing === 'client-bound')],
    ['nothing was answered', ended.filter(({ standing }) => standing === 'broken')],
    ['it was stopped', ended.filter(({ standing }) => standing === 'stopped')],
  ] as const;
  const reported = others.flatMap(([what, of]) => (of.length === 0 ? [] : [`at ${loadsPhrase(of)} ${what}`]));
  return reported.length === 0 ? highest : `${highest} ${capitalized(reported.join('; '))}.`;
};

/** "10/s, 20/s, 30/s and 4 more". */
const loadsPhrase = (stages: readonly PicturedStage[]): string => {
  const loads = stages.map(({ load }) => loadText(load));
  const shown = loads.length > NAMED + 1 ? loads.slice(0, NAMED) : loads.slice(0, -1);
  const last = loads.length > NAMED + 1 ? `${loads.length - NAMED} more` : (loads.at(-1) ?? '');
  return shown.length === 0 ? last : `${shown.join(', ')} and ${last}`;
};

/** ", with TTFT within 500 ms for 95.6 % of requests", ", with p95 at 492 ms", or nothing. */
const sharePhrase = (options: LeadOptions, load: number): string => {
  const stage = heldStageAt(options, load);
  const within = requestObjectiveText(options.sweep.objectives);
  if (stage?.attainment !== undefined && within !== undefined)
    return ` with ${within} for ${shareText(stage.attainment)} of requests`;
  const judged = stage === undefined ? [] : answersOffCurve(stage, curveSeries(options.stages));
  const figures = judged.flatMap(answer => {
    const text = answerText(answer);
    return text === undefined ? [] : [`${objectiveTitle(answer)} at ${text}`];
  });
  if (figures.length > 0 && curveObjective(options.sweep, curveSeries(options.stages)) === undefined)
    return ` with ${figures.join(' and ')}`;
  const tailNs = stage === undefined ? undefined : reportedTail(stage);
  return tailNs === undefined ? '' : ` with p${stage?.curve?.percentile} at ${roundedNsText(tailNs)}`;
};

const failPhrase = (options: LeadOptions, load: number): string => {
  const stage = stageAt(options, load, 'failed');
  const parts = [
    ...(stage?.attainment === undefined
      ? []
      : [`${shareText(stage.attainment)} of requests within the objectives`]),
    ...(stage?.isOverCapacity === true
      ? [
          stage.growthPerMinute === undefined
            ? 'the queue grew'
            : `the queue grew by ${requests(stage.growthPerMinute)} a minute`,
        ]
      : []),
  ];
  return parts.length === 0 ? '' : `: ${parts.join(', and ')}`;
};

/** A second measurement may have been too short to decide. */
const heldStageAt = (options: LeadOptions, load: number): PicturedStage | undefined =>
  stageAt(options, load, 'held') ?? stageAt(options, load);

/** The last stage at a load. */
const stageAt = (
  { stages, sweep }: LeadOptions,
  load: number,
  standing?: PicturedStage['standing'],
): PicturedStage | undefined =>
  stages.findLast(
    stage => loadOn(stage, sweep.by) === load && (standing === undefined || stage.standing === standing),
  );

const loadPhrase = (load: number, { by, concurrencyOf }: LoadUnit): string =>
  by === 'rate'
    ? `${formatTick(load)} requests/s`
    : `${counted(load, concurrencyOf === 'sessions' ? 'session' : 'request')} at a time`;

const requests = (count: number): string => counted(Math.round(count), 'request');

const plain = (text: string): LeadPart => ({ text, isStrong: false });
const strong = (text: string): LeadPart => ({ text, isStrong: true });

/** Loads of one kind that are named. */
const NAMED = 3;
