// The result of an objective as text: the same in the terminal, the text report and the page.

import { formatMeasuredNanoseconds } from '../../core/figure/duration.ts';
import { counted, figureText, formatCount, twoDigitsUp } from '../../core/figure/figure.ts';
import type { ObjectiveAnswer } from '../../core/run/judge-objective.ts';
import { isOfWholeSessions, type JudgedObjective, judgedText } from '../../core/run/objective.ts';
import { objectiveSampleSize } from '../../core/run/objective-sample-size.ts';
import { isUnknown } from '../../core/unknown.ts';

/** "ttft.p95=500ms: met, 312 ms (295 ms to 340 ms)". */
export const objectiveSentence = (answer: ObjectiveAnswer): string =>
  `${answer.objective}: ${objectiveVerdict(answer, 'ended')}, ${estimateLabel(answer)}${neededLabel(answer)}`;

/** The same without its objective: "met: 312 ms (295 ms to 340 ms)". */
export const answerSentence = (answer: ObjectiveAnswer): string =>
  `${objectiveVerdict(answer, 'ended')}: ${estimateLabel(answer)}${neededLabel(answer)}`;

/** "312 ms (295 ms to 340 ms)"; "312 ms (at least 295 ms)" if too few samples limit it on one side. */
export const estimateLabel = (answer: ObjectiveAnswer): string => {
  const { estimate, unit, isOfSessions } = answer;
  if (isUnknown(estimate)) return estimate.reason;
  const { value, low, high } = estimate;
  const part = (figure: number): string => figureLabel(figure, unit);
  if (isOfEach(answer) && value !== null) {
    const others = answer.limit === 1 ? `at least ${part(low)}` : `at most ${part(high ?? 1)}`;
    return `${part(value)} of those made${answer.answer === 'met' ? ` (of others ${others})` : ''}`;
  }
  const reported =
    value === null
      ? `longer than all completed ${isOfSessions === true ? 'sessions' : 'requests'}`
      : part(value);
  const isOpen = low === 0;
  if (high === null) return isOpen ? reported : `${reported} (at least ${part(low)})`;
  return `${reported} (${isOpen ? `at most ${part(high)}` : `${part(low)} to ${part(high)}`})`;
};

/**
 * 0 % errors and 100 % attainment are requirements for every request, not rates: for the requests that were
 * sent nothing is inferred, and for others no number of requests would prove it.
 */
const isOfEach = ({ unit, limit, answer }: ObjectiveAnswer): boolean =>
  unit === 'share' && (limit === 0 || limit === 1) && answer !== 'too-few-samples';

/** "about 1 400 requests would decide": two digits, because chance moves the third, and never fewer than are needed. */
export const decidingCount = (needed: number, unit = 'request'): string =>
  `about ${counted(twoDigitsUp(needed), unit)} would decide`;

/**
 * Before a run of `requests`: "ttft.p95=200ms at 95 % confidence needs about 290 requests, at least 73; this run has 100".
 * undefined if the run has enough.
 */
export const sampleSizeNotice = (objective: JudgedObjective, requests: number): string | undefined => {
  const size = objectiveSampleSize(objective);
  if (size === undefined || requests >= size.usual) return undefined;
  const usual = counted(twoDigitsUp(size.usual), isOfWholeSessions(objective) ? 'session' : 'request');
  return `${judgedText(objective)} at 95 % confidence needs about ${usual}, and at least ${formatCount(size.least)}; this run has ${formatCount(requests)}`;
};

/** "; about 1 400 requests would decide", if more of them would. */
export const neededLabel = ({ answer, samplesNeeded, isOfSessions }: ObjectiveAnswer): string => {
  if (answer !== 'too-few-samples') return '';
  return isUnknown(samplesNeeded)
    ? `; ${samplesNeeded.reason}`
    : `; ${decidingCount(samplesNeeded, isOfSessions === true ? 'session' : 'request')}`;
};

/** @param stage while a run is in progress its result may still change */
export const objectiveVerdict = (
  { answer, isOfSessions }: Pick<ObjectiveAnswer, 'answer' | 'isOfSessions'>,
  stage: 'live' | 'ended',
): string => {
  const what = isOfSessions === true ? 'sessions' : 'requests';
  if (answer === 'too-few-samples') return `too few ${what} ${stage === 'live' ? 'so far' : 'to decide'}`;
  return stage === 'live' ? `${answer} so far` : answer;
};

const figureLabel = (figure: number, unit: ObjectiveAnswer['unit']): string =>
  unit === 'ns' ? figureText(formatMeasuredNanoseconds(figure)) : shareLabel(figure);

/** Objectives are about shares near 0 and 1: "99.93 %", "0.02 %". */
const shareLabel = (share: number): string => {
  const percent = share * 100;
  const isNearEdge = percent > 0 && percent < 100 && (percent < 10 || percent > 90);
  const decimals = isNearEdge ? 2 : percent === 0 || percent === 100 ? 0 : 1;
  return figureText({ figure: String(Number(percent.toFixed(decimals))), unit: '%' });
};
