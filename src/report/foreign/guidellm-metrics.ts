// The distributions of a GuideLLM benchmark (guidellm/benchmark/schemas/metrics.py), each over the requests that succeeded, failed
// and were cut off, and over all of them.

import { recordOf } from '../../core/record-of.ts';
import {
  GUIDELLM_STATUSES,
  type GuidellmFigures,
  type GuidellmRequest,
  type GuidellmStatus,
  guidellmFigures,
  inputTokenTime,
  laterTokenTimes,
  outputTokenTimes,
} from './guidellm-request.ts';
import {
  distributionOf,
  type GuidellmDistribution,
  type GuidellmInterval,
  levelDistribution,
  rateDistribution,
  type Stretch,
  type Weighted,
} from './guidellm-statistics.ts';

type ByStatus<T> = Readonly<Record<GuidellmStatus, T>>;
type Breakdown = ByStatus<GuidellmDistribution> & { readonly total: GuidellmDistribution };

/** @param measured from the first request sent to the last end @param isScheduled requests have a scheduled time */
export const guidellmMetrics = (
  requests: readonly GuidellmRequest[],
  { measured, isScheduled }: { readonly measured: Stretch; readonly isScheduled: boolean },
): unknown => {
  const parts = recordOf(GUIDELLM_STATUSES, status => requests.filter(one => one.status === status));
  const values = (of: (request: GuidellmRequest) => readonly Weighted[]): Breakdown =>
    brokenDown(parts, of, weighted => distributionOf(weighted));
  /** A missing figure counts as 0, as in GuideLLM. */
  const figure = (
    of: (figures: GuidellmFigures, request: GuidellmRequest) => number | undefined,
    weight: (request: GuidellmRequest) => number = () => 1,
  ): Breakdown => values(request => [[of(guidellmFigures(request), request) ?? 0, weight(request)]]);
  /** Over requests that have the figure. */
  const reported = (of: (figures: GuidellmFigures) => number | undefined): Breakdown =>
    values(request => {
      const value = of(guidellmFigures(request));
      return value === undefined ? [] : [[value, 1]];
    });
  const scheduled = (of: (request: GuidellmRequest) => number): Breakdown | null =>
    isScheduled ? values(request => [[of(request), 1]]) : null;
  const rates = (of: (request: GuidellmRequest) => readonly Weighted[], within?: Stretch): Breakdown =>
    brokenDown(parts, of, events => rateDistribution(events, within));
  const output = ({ outputTokens }: GuidellmRequest): number => outputTokens ?? 0;
  return {
    request_totals: {
      ...recordOf(GUIDELLM_STATUSES, status => parts[status].length),
      total: requests.length,
    },
    requests_per_second: rates(({ end }) => [[end, 1]], measured),
    request_concurrency: brokenDown(
      parts,
      ({ start, end }): readonly GuidellmInterval[] => [[start, end, 1]],
      intervals => levelDistribution(intervals, measured),
    ),
    request_latency: figure(({ latency }) => latency),
    request_dispatch_delay: scheduled(({ start, targeted }) => start - targeted),
    request_scheduled_latency: scheduled(({ end, targeted }) => end - targeted),
    turn_predecessor_delay: scheduled(() => 0),
    turn_scheduling_delay: scheduled(({ start, targeted }) => start - targeted),
    request_streaming_iterations_count: figure((_, { iterations }) => iterations),
    prompt_token_count: figure((_, { inputTokens }) => inputTokens),
    output_token_count: figure((_, { outputTokens }) => outputTokens),
    total_token_count: figure(({ totalTokens }) => totalTokens),
    time_to_first_token_ms: reported(({ ttftMs }) => ttftMs),
    time_to_first_output_token_ms: reported(({ firstAnswerMs }) => firstAnswerMs),
    time_per_output_token_ms: figure(({ perTokenMs }) => perTokenMs, output),
    inter_token_latency_ms: figure(
      ({ betweenTokensMs }) => betweenTokensMs,
      request => (output(request) || 1) - 1,
    ),
    // For web sockets only.
    time_to_last_round_trip_ms: values(() => [[0, 1]]),
    avg_round_trip_time_ms: values(() => [[0, 1]]),
    prompt_tokens_per_second: rates(request => [inputTokenTime(request)], measured),
    output_tokens_per_second: rates(outputTokenTimes, measured),
    tokens_per_second: rates(request => [inputTokenTime(request), ...outputTokenTimes(request)], measured),
    output_tokens_per_iteration: values(request => valuesOf(outputTokenTimes(request))),
    iter_tokens_per_iteration: values(request => valuesOf(laterTokenTimes(request))),
    text: { tokens: tokenSummary(parts), words: null, characters: null },
    image: { tokens: null, images: null, pixels: null, bytes: null },
    video: { tokens: null, frames: null, seconds: null, bytes: null },
    audio: { tokens: null, samples: null, seconds: null, bytes: null },
    tool_call: { tokens: null, mixed_tokens: null, count: null },
  };
};

/** The weights of times as values of their own. */
const valuesOf = (times: readonly Weighted[]): readonly Weighted[] => times.map(([, tokens]) => [tokens, 1]);

const brokenDown = <Item>(
  parts: ByStatus<readonly GuidellmRequest[]>,
  of: (request: GuidellmRequest) => readonly Item[],
  summary: (items: readonly Item[]) => GuidellmDistribution,
): Breakdown => {
  const items = recordOf(GUIDELLM_STATUSES, status => parts[status].flatMap(of));
  return {
    ...recordOf(GUIDELLM_STATUSES, status => summary(items[status])),
    total: summary(GUIDELLM_STATUSES.flatMap(status => items[status])),
  };
};

const SIDES = ['input', 'output'] as const;
type Side = (typeof SIDES)[number];

const sideTokens = (request: GuidellmRequest, side: Side): number | undefined =>
  side === 'input' ? request.inputTokens : request.outputTokensReported;

/** Counts of prompts and answers; null if the server reported none for any request. */
const tokenSummary = (parts: ByStatus<readonly GuidellmRequest[]>): unknown => {
  const counted = recordOf(GUIDELLM_STATUSES, status =>
    parts[status].filter(request => SIDES.some(side => sideTokens(request, side) !== undefined)),
  );
  const known = (side: Side): boolean =>
    GUIDELLM_STATUSES.some(status =>
      counted[status].some(request => sideTokens(request, side) !== undefined),
    );
  const summary = (sides: readonly Side[]): readonly (Breakdown | null)[] => {
    if (!sides.every(known)) return [null, null, null];
    const over =
      <Item>(of: (request: GuidellmRequest, tokens: number | undefined) => readonly Item[]) =>
      (request: GuidellmRequest): readonly Item[] =>
        sides.flatMap(side => of(request, sideTokens(request, side)));
    return [
      brokenDown(
        counted,
        over((_, tokens): readonly Weighted[] => (tokens === undefined ? [] : [[tokens, 1]])),
        weighted => distributionOf(weighted),
      ),
      brokenDown(
        counted,
        over(({ end }, tokens): readonly Weighted[] => [[end, tokens ?? 0]]),
        events => rateDistribution(events, undefined),
      ),
      brokenDown(
        counted,
        over(({ start, end }, tokens): readonly GuidellmInterval[] => [[start, end, tokens ?? 0]]),
        intervals => levelDistribution(intervals, undefined),
      ),
    ];
  };
  return Object.fromEntries(
    [
      ['input', summary(['input'])] as const,
      ['output', summary(['output'])] as const,
      ['total', summary(SIDES)] as const,
    ].flatMap(([name, [values, rate, level]]) => [
      [name, values],
      [`${name}_per_second`, rate],
      [`${name}_concurrency`, level],
    ]),
  );
};
