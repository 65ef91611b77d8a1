// How many requests a server works on and keeps waiting now, from its Prometheus page. Names and meanings: vLLM "Production Metrics", llama.cpp
// tools/server/README.md, SGLang "Production Metrics", TGI reference "Metrics". Pure.

/** Requests running and waiting, or undefined if the page has no known figure. */
export const requestsInFlight = (page: string): number | undefined => {
  const lines = plainText(page).split('\n', LINES_MAX);
  for (const { running, waiting, join } of SERVERS) {
    const counts = [running, waiting].map(name => figuresOf(lines, name));
    const [ofRunning = []] = counts;
    if (ofRunning.length === 0) continue;
    return counts.reduce((sum, figures) => sum + joined(figures, join), 0);
  }
  return undefined;
};

/** Requests waiting, or undefined if the page has no known figure of them. */
export const requestsWaiting = (page: string): number | undefined => {
  const lines = plainText(page).split('\n', LINES_MAX);
  for (const { waiting, join } of SERVERS) {
    const figures = figuresOf(lines, waiting);
    if (figures.length > 0) return joined(figures, join);
  }
  return undefined;
};

interface Server {
  readonly running: string;
  readonly waiting: string;
  /** 'max' where each rank of one model tells the same requests. */
  readonly join: 'sum' | 'max';
}

const SERVERS: readonly Server[] = [
  { running: 'vllm:num_requests_running', waiting: 'vllm:num_requests_waiting', join: 'sum' },
  { running: 'llamacpp:requests_processing', waiting: 'llamacpp:requests_deferred', join: 'sum' },
  { running: 'sglang:num_running_reqs', waiting: 'sglang:num_queue_reqs', join: 'max' },
  { running: 'tgi_batch_current_size', waiting: 'tgi_queue_size', join: 'sum' },
];

const figuresOf = (lines: readonly string[], name: string): readonly number[] =>
  lines.flatMap(line => {
    if (!line.startsWith(name)) return [];
    const [, value] = /^(?:\{.*\})?[ \t]+(\S+)/.exec(line.slice(name.length)) ?? [];
    const figure = Number(value ?? Number.NaN);
    return figure >= 0 && Number.isFinite(figure) ? [figure] : [];
  });

const joined = (figures: readonly number[], join: Server['join']): number =>
  join === 'max' ? Math.max(0, ...figures) : figures.reduce((sum, figure) => sum + figure, 0);

/** Some builds of llama.cpp (7010 and after) send the page as one JSON text: ggml-org/llama.cpp issue 17384. */
const plainText = (page: string): string => {
  if (!page.startsWith('"')) return page;
  try {
    const text: unknown = JSON.parse(page);
    return typeof text === 'string' ? text : page;
  } catch {
    return page;
  }
};

/** A page of a server with many histograms has some thousands. */
const LINES_MAX = 100_000;
