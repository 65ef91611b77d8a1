// The series of a run, METRICS §3: one row each, from which samplers, snapshots, reports, every view and the
// table in docs/metrics.md derive, in this order. A new series is a row here and the code for its values:
// `metrics/sample-figures.ts` does not compile without it.

import type { SeriesRow } from './series-row.ts';

const COUNTED_TOKENS = {
  unit: 'tokens',
  per: 'completed request',
  runs: 'all',
  from: "the server's `usage`",
  better: 'none',
  level: 'line',
} as const;

const SERVER_TIME = {
  unit: 'ns',
  per: 'completed request',
  runs: 'all',
  where: 'the reply reports it',
  better: 'lower',
  level: 'line',
} as const;

export const RUN_SERIES = {
  ttftNs: {
    unit: 'ns',
    per: 'completed request',
    runs: 'streamed',
    from: 'first content − sent',
    label: 'time to first token',
    shortLabel: 'TTFT',
    better: 'lower',
    help: 'From the request to the first content, reasoning or tool call; an empty first chunk does not count.',
    level: 'headline',
    countsFailures: true,
    objective: 'ttft',
    objectiveAliases: ['time-to-first-token'],
    compared: 'ttft',
    otlp: {
      name: 'gen_ai.client.operation.time_to_first_chunk',
      description: 'Time to receive the first chunk, from when the request was sent.',
    },
  },
  ttftFromIntendedNs: {
    unit: 'ns',
    per: 'completed request',
    runs: 'streamed, scheduled',
    from: 'first content − intended',
    label: 'first token from intended',
    shortLabel: 'TTFT from intended',
    better: 'lower',
    help: 'To the first content from when the schedule wanted the request sent.',
    level: 'detail',
    countsFailures: true,
    objective: 'ttft-from-intended',
    otlp: {
      name: 'plimsoll.client.time_to_first_chunk_from_intended',
      description: 'Time to receive the first chunk, from when the schedule meant the request to be sent.',
    },
  },
  firstAnswerNs: {
    unit: 'ns',
    per: 'completed request',
    runs: 'streamed',
    from: 'first content that is not reasoning − sent',
    where: 'it differs from the first content',
    label: 'first answer after reasoning',
    shortLabel: 'first answer',
    better: 'lower',
    help: 'From the request to the first content that is not reasoning.',
    level: 'line',
  },
  tpotNs: {
    unit: 'ns',
    per: 'completed request',
    runs: 'streamed',
    from: '(last content − first content) / (output tokens − 1), rounded to whole ns',
    where: 'it has at least 2 output tokens',
    label: 'time per output token',
    shortLabel: 'TPOT',
    better: 'lower',
    help: "From the first to the last content, divided by the tokens after the first, as counted in the server's usage.",
    level: 'headline',
    countsFailures: true,
    objective: 'tpot',
    objectiveAliases: ['itl', 'inter-token-latency', 'time-per-output-token'],
    compared: 'tpot',
  },
  chunkGapNs: {
    unit: 'ns',
    per: 'chunk',
    runs: 'streamed',
    from: 'time between consecutive content chunks',
    label: 'gap between chunks',
    shortLabel: 'chunk gap',
    better: 'lower',
    help: 'How long a reader waits for the next chunk.',
    level: 'detail',
    otlp: {
      name: 'gen_ai.client.operation.time_per_output_chunk',
      description: 'Time between consecutive chunks, after the first one.',
    },
  },
  latencyNs: {
    unit: 'ns',
    per: 'completed request',
    runs: 'all',
    from: 'end − sent',
    label: 'latency',
    shortLabel: 'latency',
    better: 'lower',
    help: 'From the request to the end of its answer.',
    level: 'headline',
    countsFailures: true,
    objective: 'latency',
    objectiveAliases: ['e2el', 'e2e', 'request-latency'],
    compared: 'latency',
    otlp: { name: 'gen_ai.client.operation.duration', description: 'GenAI operation duration.' },
  },
  latencyFromIntendedNs: {
    unit: 'ns',
    per: 'completed request',
    runs: 'scheduled',
    from: 'end − intended',
    label: 'latency from intended',
    shortLabel: 'latency from intended',
    better: 'lower',
    help: 'To the end of the answer from when the schedule wanted the request sent.',
    level: 'detail',
    countsFailures: true,
    objective: 'latency-from-intended',
  },
  sessionNs: {
    unit: 'ns',
    per: 'completed session',
    runs: 'sessions',
    from: 'end of its last turn − sent of its first',
    label: 'whole session',
    shortLabel: 'session',
    better: 'lower',
    help: 'From the first turn of a session to the end of its last, with the pauses between its turns.',
    level: 'detail',
    objective: 'session',
  },
  reasoningNs: {
    unit: 'ns',
    per: 'completed request',
    runs: 'streamed',
    from: 'first content that is not reasoning − first content',
    where: 'it begins with reasoning',
    label: 'time from first token to first answer',
    shortLabel: 'reasoning',
    better: 'lower',
    help: 'How long the model reasons before the first content of its answer.',
    level: 'detail',
    compared: 'reasoning',
    otlp: {
      name: 'plimsoll.client.reasoning_duration',
      description: 'Time from the first chunk to the first one that is not reasoning.',
    },
  },
  firstByteNs: {
    unit: 'ns',
    per: 'completed request',
    runs: 'all',
    from: 'first byte − sent',
    label: 'first byte',
    shortLabel: 'first byte',
    better: 'lower',
    help: 'From the request to the first byte of its reply.',
    level: 'line',
  },
  connectNs: {
    unit: 'ns',
    per: 'completed request',
    runs: 'all',
    from: 'connection set-up',
    where: 'it had to wait for one',
    label: 'connection set-up',
    shortLabel: 'connect',
    better: 'lower',
    help: 'How long a request waited for its connection; not part of the time to first token.',
    level: 'line',
  },
  sendLatenessNs: {
    unit: 'ns',
    per: 'issued request',
    runs: 'all',
    from: 'sent − intended − held back',
    label: 'send lateness',
    shortLabel: 'send lateness',
    better: 'lower',
    help: 'How much later than planned a request was sent; 0 for one sent early, which is counted apart.',
    level: 'detail',
  },
  heldBackNs: {
    unit: 'ns',
    per: 'issued request',
    runs: 'capped',
    from: 'when a slot was free − intended',
    label: 'held back',
    shortLabel: 'held back',
    better: 'lower',
    help: 'How long an arrival waited for a slot under --max-in-flight; it is in no figure of the client.',
    level: 'detail',
  },
  inputTokens: {
    ...COUNTED_TOKENS,
    where: 'the server reports it',
    label: 'input tokens',
    shortLabel: 'input tokens',
    help: 'Tokens of the prompt, as the server counts them.',
    otlp: {
      name: 'gen_ai.client.token.usage',
      description: 'Number of input and output tokens used, as reported by the server.',
      attributes: { 'gen_ai.token.type': 'input' },
    },
  },
  outputTokens: {
    ...COUNTED_TOKENS,
    where: 'the server reports it',
    label: 'output tokens',
    shortLabel: 'output tokens',
    help: 'Tokens of the answer, as the server counts them.',
    otlp: {
      name: 'gen_ai.client.token.usage',
      description: 'Number of input and output tokens used, as reported by the server.',
      attributes: { 'gen_ai.token.type': 'output' },
    },
  },
  serverLoadNs: {
    ...SERVER_TIME,
    from: "Ollama's `load_duration`",
    label: 'loading, by the server',
    shortLabel: 'server load',
    help: 'How long the server prepared its model for the request, as its reply reports it.',
  },
  serverPromptNs: {
    ...SERVER_TIME,
    from: "llama.cpp's `timings.prompt_ms`, Ollama's `prompt_eval_duration`",
    label: 'prompt, by the server',
    shortLabel: 'server prompt',
    help: 'How long the server took for the part of the prompt that was not in its cache; time to first token beyond it is queue, network and this client.',
  },
  serverDecodeNs: {
    ...SERVER_TIME,
    from: "llama.cpp's `timings.predicted_ms`, Ollama's `eval_duration`",
    label: 'answer, by the server',
    shortLabel: 'server answer',
    help: 'How long the server took for the tokens of the answer.',
  },
  reasoningTokens: {
    ...COUNTED_TOKENS,
    where: 'the server reports it',
    label: 'reasoning tokens',
    shortLabel: 'reasoning tokens',
    help: 'Tokens of the answer that the model thought with, as the server counts them; part of the output tokens.',
  },
  audioInputTokens: {
    ...COUNTED_TOKENS,
    where: 'the server reports some',
    label: 'audio input tokens',
    shortLabel: 'audio input tokens',
    help: 'Tokens of sound in the prompt; part of the input tokens.',
  },
  audioOutputTokens: {
    ...COUNTED_TOKENS,
    where: 'the server reports some',
    label: 'audio output tokens',
    shortLabel: 'audio output tokens',
    help: 'Tokens of sound in the answer; part of the output tokens.',
  },
  rankedDocuments: {
    unit: 'ratio',
    per: 'completed request',
    runs: 'all',
    from: 'the results of the reply',
    where: 'it is a ranking',
    label: 'ranked documents',
    shortLabel: 'documents',
    better: 'none',
    help: 'How many documents the server ranked for the query.',
    level: 'line',
  },
  tokensPerChunk: {
    unit: 'ratio',
    per: 'completed request',
    runs: 'streamed',
    from: 'output tokens / content chunks',
    where: 'the server reports its usage',
    label: 'tokens per chunk',
    shortLabel: 'tokens per chunk',
    better: 'none',
    help: 'How many tokens arrive at once.',
    level: 'line',
  },
  cachedTokens: {
    ...COUNTED_TOKENS,
    where: 'the reply reports it',
    label: 'cached tokens',
    shortLabel: 'cached tokens',
    help: 'Tokens of the prompt that the server took from its prefix cache, as it counts them; part of the input tokens.',
  },
  tokensPerStep: {
    unit: 'ratio',
    per: 'completed request',
    runs: 'all',
    from: '(output tokens − 1) / (output tokens − 1 − accepted draft tokens)',
    where: 'the reply reports draft tokens, and it has at least 2 output tokens',
    label: 'tokens per step',
    shortLabel: 'tokens per step',
    better: 'higher',
    help: 'How many tokens a step of the model gave on average with speculative decoding: 1 without an accepted draft token.',
    level: 'line',
  },
  acceptedShare: {
    unit: 'ratio',
    per: 'completed request',
    runs: 'all',
    from: 'accepted draft tokens / draft tokens',
    where: 'the reply reports both',
    label: 'accepted share of draft tokens',
    shortLabel: 'accepted drafts',
    better: 'higher',
    help: 'Which share of its draft tokens speculative decoding accepted.',
    level: 'line',
  },
  readLatenessNsMax: {
    unit: 'ns',
    per: 'observation',
    runs: 'all',
    from: 'read − first read of the same turn of the event loop',
    label: 'read lateness',
    shortLabel: 'read lateness',
    better: 'lower',
    help: 'How long a reply waited before the load generator read it.',
    level: 'client',
  },
  eventLoopDelayNsMax: {
    unit: 'ns',
    per: 'observation',
    runs: 'all',
    from: 'turn − when a timer was due',
    label: 'event loop delay',
    shortLabel: 'loop delay',
    better: 'lower',
    help: "How late the load generator's event loop ran.",
    level: 'client',
  },
  beatLatenessNs: {
    unit: 'ns',
    per: 'observation',
    runs: 'all',
    from: 'heartbeat − when it was due, each 20 ms',
    label: 'heartbeat lateness',
    shortLabel: 'heartbeat',
    better: 'lower',
    help: 'How late a load thread was at any moment, with or without traffic; a pause counts all beats that were due in it.',
    level: 'client',
  },
} as const;

export type SeriesKey = keyof typeof RUN_SERIES;
/** Series of which a completed sample has at most one value each. */
export type SampleSeriesKey = SeriesKeyWith<{ readonly per: 'completed request' }>;
/** Series that an objective may limit. */
export type ObjectiveSeriesKey = SeriesKeyWith<{ readonly objective: string }>;
/** Series in which two runs are compared. */
export type ComparedSeriesKey = SeriesKeyWith<{ readonly compared: string }>;

type SeriesKeyWith<Part> = {
  [Key in SeriesKey]: (typeof RUN_SERIES)[Key] extends Part ? Key : never;
}[SeriesKey];

export const isSeriesKey = (name: string): name is SeriesKey => Object.hasOwn(RUN_SERIES, name);

export const SERIES_KEYS: readonly SeriesKey[] = Object.keys(RUN_SERIES).filter(isSeriesKey);

export const seriesRow = (key: SeriesKey): SeriesRow => RUN_SERIES[key];

export const COMPARED_SERIES: readonly ComparedSeriesKey[] = SERIES_KEYS.filter(
  (key): key is ComparedSeriesKey => seriesRow(key).compared !== undefined,
);

export const isSampleSeries = (key: SeriesKey): key is SampleSeriesKey =>
  RUN_SERIES[key].per === 'completed request';

/** One or several levels, in table order. */
export const seriesOf = (...levels: readonly SeriesRow['level'][]): readonly SeriesKey[] =>
  SERIES_KEYS.filter(key => levels.includes(seriesRow(key).level));

/** The main figures of a run. */
export const headlineSeries = (run: { readonly isStreaming: boolean }): 'ttftNs' | 'latencyNs' =>
  run.isStreaming ? 'ttftNs' : 'latencyNs';

/** Shown if there is no room for all. */
export const HEADLINE_PERCENTILES = ['50', '90', '99'] as const;
