// What a server told of itself at one moment, on its page of metrics, beside what this run had in flight then. Counters are
// since the server's start: what a run did to them is the difference of two readings.

export const SERVER_FIGURE_KEYS = [
  'running',
  'waiting',
  'kvUsage',
  'prefixQueried',
  'prefixHit',
  'prefixHitShare',
  'preemptions',
  'swapped',
  'promptTokens',
  'generatedTokens',
  'draftedTokens',
  'acceptedTokens',
  'readBytes',
  'writtenBytes',
] as const;

export type ServerFigureKey = (typeof SERVER_FIGURE_KEYS)[number];

/** NO_FIGURE where the server does not tell it. */
export type ServerFigures = Readonly<Record<ServerFigureKey, number>>;

export interface ServerReading extends ServerFigures {
  /** Since the run's zero. */
  readonly atNs: number;
  /** The most requests that this run had in flight since the reading before. */
  readonly inFlight: number;
}

export interface ServerFigureRow {
  readonly label: string;
  /** A counter only rises; a gauge is what is so now. */
  readonly kind: 'gauge' | 'counter';
  readonly unit: 'requests' | 'share' | 'tokens' | 'times' | 'bytes';
  readonly help: string;
}

export const SERVER_FIGURES: Readonly<Record<ServerFigureKey, ServerFigureRow>> = {
  running: {
    label: 'running',
    kind: 'gauge',
    unit: 'requests',
    help: 'requests in the batch of the server, of all its clients',
  },
  waiting: { label: 'waiting', kind: 'gauge', unit: 'requests', help: 'requests in its queue' },
  kvUsage: { label: 'KV cache used', kind: 'gauge', unit: 'share', help: 'of the room for keys and values' },
  prefixQueried: {
    label: 'prefix cache asked',
    kind: 'counter',
    unit: 'tokens',
    help: 'tokens of prompts that were looked for in the cache of prefixes',
  },
  prefixHit: {
    label: 'prefix cache hit',
    kind: 'counter',
    unit: 'tokens',
    help: 'of those, tokens that were found there',
  },
  prefixHitShare: {
    label: 'prefix hit rate',
    kind: 'gauge',
    unit: 'share',
    help: 'as the server itself works it out, over a time of its own',
  },
  preemptions: {
    label: 'preemptions',
    kind: 'counter',
    unit: 'times',
    help: 'requests that lost their place in the batch and had to be worked out again',
  },
  swapped: { label: 'swapped', kind: 'gauge', unit: 'requests', help: 'requests moved out of GPU memory' },
  promptTokens: { label: 'prompt tokens', kind: 'counter', unit: 'tokens', help: 'of all clients' },
  generatedTokens: { label: 'generated tokens', kind: 'counter', unit: 'tokens', help: 'for all clients' },
  draftedTokens: { label: 'drafted tokens', kind: 'counter', unit: 'tokens', help: 'guessed ahead' },
  acceptedTokens: { label: 'accepted tokens', kind: 'counter', unit: 'tokens', help: 'of those, accepted' },
  readBytes: {
    label: 'bytes read',
    kind: 'counter',
    unit: 'bytes',
    help: 'that the server estimates to have read of the memory of each device',
  },
  writtenBytes: { label: 'bytes written', kind: 'counter', unit: 'bytes', help: 'likewise, written' },
};
