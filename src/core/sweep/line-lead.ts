// What a load line or sweep says in two or three sentences, the answer first. Parts that stand out are marked, so that each
// surface shows them in its own way.

import { formatCount, formatTick } from '../figure/figure.ts';
import {
  LIMIT_WORDS,
  lineLoadWords,
  nsWords,
  requestObjectiveWords,
  shareWords,
  stageResult,
} from './line-words.ts';
import type { PicturedStage } from './pictured-stage.ts';
import { loadOn } from './pictured-stage.ts';
import type { Sweep } from './sweep.ts';
import type { LoadLine } from './sweep-document.ts';

export interface LeadPart {
  readonly text: string;
  readonly isStrong: boolean;
}

export interface LeadOptions {
  readonly sweep: Pick<Sweep, 'form' | 'by' | 'objectives' | 'attainment'>;
  readonly line: LoadLine;
  readonly stages: readonly PicturedStage[];
  readonly isLive: boolean;
  /** Why it ended early; '' where it did not. */
  readonly reason: string;
  /** "bosun", "the endpoint". */
  readonly target: string;
}

export const leadOf = (options: LeadOptions): readonly LeadPart[] =>
  options.sweep.form === 'line' ? lineLead(options) : sweepLead(options);

const lineLead = (options: LeadOptions): readonly LeadPart[] => {
  const { line, isLive, target, sweep } = options;
  const at = (load: number): string => loadPhrase(load, sweep.by);
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
              `${sharePhrase(options, line.holds)}. Every load that could be decided held; ${LIMIT_WORDS[line.limit]}.`,
            ),
          ];
    case 'at-most':
      return [
        strong(isLive ? `${at(line.fails)} failed` : `${target} carries less than ${at(line.fails)}`),
        plain(
          `${failPhrase(options, line.fails)}. ${isLive ? 'No load has held yet.' : `How much less is not known: ${LIMIT_WORDS[line.limit]}.`}`,
        ),
      ];
    case 'none':
      return [
        strong('No load holds'),
        plain(
          `. The lowest that was tried is ${lineLoadWords(line.fails, sweep.by)}${failPhrase(options, line.fails)}.`,
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
  const tokens = stageAt(options, line.holds)?.outputTokensPerSecond;
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
            `${failing?.attainment === undefined ? 'an objective is missed' : `only ${shareWords(failing.attainment)} are`}: it still keeps up, but `,
          ),
          strong('too slowly'),
          plain('.'),
        ];
  return [
    strong(`${target} carries ${loadPhrase(line.holds, sweep.by)}`),
    plain(sharePhrase(options, line.holds)),
    plain(tokens === undefined ? '. ' : `, which is ${formatCount(Math.round(tokens))} output tokens/s. `),
    plain(`At ${lineLoadWords(line.fails, sweep.by)} `),
    ...above,
  ];
};

const bracketSoFar = (options: LeadOptions, line: Bracket): readonly LeadPart[] => {
  const running = options.stages.find(({ standing }) => standing === 'running');
  const now =
    running?.attainment === undefined
      ? ''
      : ` At ${lineLoadWords(loadOn(running, options.sweep.by) ?? 0, options.sweep.by)}, ${formatCount(Math.round(running.elapsedMs / 1_000))} s in, ${shareWords(running.attainment)} are within the objectives.`;
  return [
    plain('So far '),
    strong(`${loadPhrase(line.holds, options.sweep.by)} held`),
    plain(`${sharePhrase(options, line.holds)}. `),
    strong(`${formatTick(line.fails)} failed`),
    plain(`${failPhrase(options, line.fails)}.${now}`),
  ];
};

const sweepLead = ({ stages, isLive, reason, sweep, target }: LeadOptions): readonly LeadPart[] => {
  const ended = stages.filter(({ standing }) => standing !== 'running');
  const held = ended.filter(({ standing }) => standing === 'held');
  const of = `${held.length} of ${ended.length} ${ended.length === 1 ? 'load' : 'loads'}`;
  const most = held.toSorted((a, b) => (loadOn(b, sweep.by) ?? 0) - (loadOn(a, sweep.by) ?? 0))[0];
  const rest = ended.filter(({ standing }) => standing !== 'held');
  return [
    strong(`${target} held ${of}${isLive ? ' so far' : ''}`),
    plain(
      most === undefined ? '. ' : `, the highest ${lineLoadWords(loadOn(most, sweep.by) ?? 0, sweep.by)}. `,
    ),
    plain(
      rest
        .map(stage => `${lineLoadWords(loadOn(stage, sweep.by) ?? 0, sweep.by)} ${stageResult(stage).word}`)
        .slice(0, NAMED)
        .join('; '),
    ),
    plain(rest.length === 0 ? '' : rest.length > NAMED ? `; and ${rest.length - NAMED} more. ` : '. '),
    plain(reason === '' || isLive ? '' : `It ended early: ${reason}.`),
  ];
};

/** ", with TTFT within 500 ms for 95.6 % of requests", ", with p95 at 492 ms", or nothing. */
const sharePhrase = (options: LeadOptions, load: number): string => {
  const stage = stageAt(options, load, 'held') ?? stageAt(options, load);
  const within = requestObjectiveWords(options.sweep.objectives);
  if (stage?.attainment !== undefined && within !== undefined)
    return ` with ${within} for ${shareWords(stage.attainment)} of requests`;
  return stage?.curve === undefined
    ? ''
    : ` with p${stage.curve.percentile} at ${nsWords(stage.curve.atPercentile)}`;
};

const failPhrase = (options: LeadOptions, load: number): string => {
  const stage = stageAt(options, load, 'failed');
  const parts = [
    ...(stage?.attainment === undefined
      ? []
      : [`${shareWords(stage.attainment)} of requests within the objectives`]),
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

/** The last one at a load. */
const stageAt = (
  { stages, sweep }: LeadOptions,
  load: number,
  standing?: PicturedStage['standing'],
): PicturedStage | undefined =>
  stages.findLast(
    stage => loadOn(stage, sweep.by) === load && (standing === undefined || stage.standing === standing),
  );

const loadPhrase = (load: number, by: Sweep['by']): string =>
  by === 'rate' ? `${formatTick(load)} requests/s` : `${formatCount(load)} requests at a time`;

const requests = (count: number): string => `${formatCount(Math.round(count))} requests`;

const plain = (text: string): LeadPart => ({ text, isStrong: false });
const strong = (text: string): LeadPart => ({ text, isStrong: true });

/** Of the loads that did not hold. */
const NAMED = 3;
