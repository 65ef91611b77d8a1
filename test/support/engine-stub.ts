// A small server that plays vLLM or llama.cpp: the list of models, a streamed chat, and the page of metrics in the words of that server,
// whose counters are exactly what it has served. Several of them behind one gateway are `gatewayStub`.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';

export interface EngineStubOptions {
  readonly kind?: 'vLLM' | 'llama.cpp';
  readonly model?: string;
  readonly outputTokens?: number;
  /** Of each prompt, what its template adds, all of it in the cache of prefixes. */
  readonly templateTokens?: number;
  /** What it counts of a request's time in the queue and for its prompt. */
  readonly queueSeconds?: number;
  readonly prefillSeconds?: number;
  readonly firstTokenSeconds?: number;
  /** Counters follow so long after the end of a reply. */
  readonly countsAfterMs?: number;
  readonly slots?: number;
  /** Tokens that it guesses and accepts per reply. */
  readonly drafted?: number;
  readonly accepted?: number;
  /** Of the memory of its device, per reply; 0: the counters are there and stay where they are. */
  readonly readBytes?: number;
  readonly fingerprint?: string;
  /** It begins again with counters of 0 after so many streamed replies. */
  readonly restartsAfter?: number;
  /** Pages that it never answers. */
  readonly hanging?: readonly string[];
  /** Paths that it does not have, of those that its kind has. */
  readonly missing?: readonly string[];
}

export interface EngineStub extends AsyncDisposable {
  readonly url: string;
  /** "GET /metrics", in their order. */
  readonly requests: readonly string[];
  /** As if it had been killed and started again: the counters begin with 0. */
  restart(): void;
  handle(request: IncomingMessage, response: ServerResponse): void;
}

export const startEngineStub = async (options: EngineStubOptions = {}): Promise<EngineStub> => {
  const stub = engineStub(options);
  const server = createServer((request, response) => stub.handle(request, response));
  return { ...stub, url: await listening(server), [Symbol.asyncDispose]: () => closed(server) };
};

/**
 * The engines by the first part of a path; `root` has all other paths.
 * @param hidden pages that it passes on below no path
 */
export const startGatewayStub = async (
  engines: Readonly<Record<string, EngineStubOptions>>,
  root?: string,
  hidden: readonly string[] = [],
): Promise<
  AsyncDisposable & { readonly url: string; readonly engines: Readonly<Record<string, EngineStub>> }
> => {
  const stubs = Object.fromEntries(
    Object.entries(engines).map(([name, options]) => [name, engineStub(options)]),
  );
  const server = createServer((request, response) => {
    const [, name = '', rest = ''] = /^\/([^/]*)(\/.*)$/.exec(request.url ?? '') ?? [];
    const below = Object.hasOwn(stubs, name) ? stubs[name] : undefined;
    if (below !== undefined) request.url = rest;
    const engine = below ?? (root === undefined ? undefined : stubs[root]);
    const isHidden = below !== undefined && hidden.includes(rest);
    if (engine === undefined || isHidden) notFound(request, response);
    else engine.handle(request, response);
  });
  return { url: await listening(server), engines: stubs, [Symbol.asyncDispose]: () => closed(server) };
};

const engineStub = (options: EngineStubOptions): EngineStub => {
  const { outputTokens = 8, templateTokens = 0, countsAfterMs = 0, drafted = 0, accepted = 0 } = options;
  const requests: string[] = [];
  let counters = { ...NOTHING };
  let running = 0;
  const count = (promptTokens: number, generated: number): void => {
    if (counters.replies === options.restartsAfter)
      counters = { ...NOTHING, startedAt: counters.startedAt + 60 };
    counters = {
      ...counters,
      replies: counters.replies + 1,
      prompt: counters.prompt + promptTokens,
      cached: counters.cached + templateTokens,
      generated: counters.generated + generated,
    };
  };
  const chat = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request);
    running += 1;
    const promptTokens = templateTokens + wordsOf(body);
    if (!/"stream":\s*true/.test(body)) {
      // Whole, with one token: a question of the client before its run.
      count(promptTokens, 1);
      running -= 1;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          model: options.model ?? MODEL,
          choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'length' }],
          usage: { prompt_tokens: promptTokens, completion_tokens: 1, total_tokens: promptTokens + 1 },
          ...(options.fingerprint === undefined ? {} : { system_fingerprint: options.fingerprint }),
        }),
      );
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const event = (json: object): void => {
      response.write(`data: ${JSON.stringify({ model: options.model ?? MODEL, ...json })}\n\n`);
    };
    const choice = (delta: object, reason: string | null): object => ({
      choices: [{ index: 0, delta, finish_reason: reason }],
      ...(options.fingerprint === undefined ? {} : { system_fingerprint: options.fingerprint }),
    });
    for (let token = 0; token < outputTokens; token += 1) {
      event(choice({ content: ` t${token}` }, null));
      await after(1);
    }
    const isLlama = options.kind === 'llama.cpp';
    event(choice({}, 'length'));
    event({
      choices: [],
      usage: {
        prompt_tokens: promptTokens,
        completion_tokens: outputTokens,
        total_tokens: promptTokens + outputTokens,
        ...(isLlama ? { prompt_tokens_details: { cached_tokens: templateTokens } } : {}),
      },
      ...(isLlama
        ? { timings: timingsOf({ promptTokens, outputTokens, templateTokens, drafted, accepted }) }
        : {}),
    });
    if (countsAfterMs === 0) {
      count(promptTokens, outputTokens);
      running -= 1;
    }
    response.end('data: [DONE]\n\n');
    if (countsAfterMs === 0) return;
    await after(countsAfterMs);
    count(promptTokens, outputTokens);
    running -= 1;
  };
  return {
    url: '',
    requests,
    restart: () => {
      counters = { ...NOTHING };
    },
    handle: (request, response) => {
      const path = (request.url ?? '').replace(/\?.*/, '');
      requests.push(`${request.method} ${path}`);
      if (options.hanging?.includes(path)) return;
      if (options.missing?.includes(path)) return notFound(request, response);
      if (path === '/v1/chat/completions') {
        void chat(request, response);
        return;
      }
      request.resume();
      const page = pagesOf(options, counters, running)[path];
      if (page === undefined) return notFound(request, response);
      response.writeHead(200, {
        ...(options.kind === 'llama.cpp' ? { server: 'llama.cpp' } : { server: 'uvicorn' }),
        'content-type': typeof page === 'string' ? 'text/plain; version=0.0.4' : 'application/json',
      });
      response.end(typeof page === 'string' ? page : JSON.stringify(page));
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
};

type Counters = typeof NOTHING;
const NOTHING = { replies: 0, prompt: 0, cached: 0, generated: 0, startedAt: 1_790_000_000 };
const MODEL = 'stub-model';

const pagesOf = (
  options: EngineStubOptions,
  counters: Counters,
  running: number,
): Readonly<Record<string, object | string>> => {
  const model = options.model ?? MODEL;
  if (options.kind === 'llama.cpp')
    return {
      '/v1/models': { object: 'list', data: [{ id: model, object: 'model', owned_by: 'llamacpp' }] },
      '/props': {
        default_generation_settings: {
          id: 0,
          n_ctx: 4_096,
          speculative: false,
          params: { temperature: 0.8 },
        },
        total_slots: options.slots ?? 4,
        model_path: '/models/stub.gguf',
        chat_template: '{{ messages }}',
        build_info: 'b11434-0a1b2c3d',
      },
      '/slots': Array.from({ length: options.slots ?? 4 }, (_, id) => ({
        id,
        n_ctx: 4_096,
        speculative: false,
        is_processing: id < running,
        ...(id < running ? { n_prompt_tokens: 512 } : {}),
      })),
      '/metrics': llamaPage(options, counters, running),
    };
  return {
    '/v1/models': {
      object: 'list',
      data: [{ id: model, object: 'model', owned_by: 'vllm', root: model, max_model_len: 4_096 }],
    },
    '/version': { version: '0.32.0' },
    '/metrics': vllmPage(options, counters, running),
  };
};

/** As prometheus_client writes it. */
const vllmPage = (options: EngineStubOptions, counters: Counters, running: number): string => {
  const labels = `engine="0",model_name="${options.model ?? MODEL}"`;
  const one = (name: string, kind: string, value: number, more = ''): string =>
    `# HELP vllm:${name} …\n# TYPE vllm:${name.replace(/_total$/, '')} ${kind}\nvllm:${name}{${labels}${more}} ${value}\n`;
  const histogram = (name: string, mean: number): string =>
    [
      `# TYPE vllm:${name} histogram`,
      `vllm:${name}_bucket{${labels},le="0.3"} 0.0`,
      `vllm:${name}_bucket{${labels},le="+Inf"} ${counters.replies}`,
      `vllm:${name}_count{${labels}} ${counters.replies}`,
      `vllm:${name}_sum{${labels}} ${mean * counters.replies}`,
      '',
    ].join('\n');
  const {
    queueSeconds = 0.02,
    prefillSeconds = 0.01,
    firstTokenSeconds = queueSeconds + prefillSeconds,
  } = options;
  return [
    `# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds ${counters.startedAt}.25\n`,
    one('num_requests_running', 'gauge', running),
    one('num_requests_waiting', 'gauge', 0),
    one('num_requests_waiting_by_reason', 'gauge', 0, ',reason="capacity"'),
    one('num_requests_waiting_by_reason', 'gauge', 0, ',reason="deferred"'),
    one('kv_cache_usage_perc', 'gauge', running / 100),
    one('prefix_cache_queries_total', 'counter', counters.prompt),
    one('prefix_cache_hits_total', 'counter', counters.cached),
    one('prompt_tokens_total', 'counter', counters.prompt),
    one('generation_tokens_total', 'counter', counters.generated),
    one('request_success_total', 'counter', counters.replies, ',finished_reason="length"'),
    one('request_success_total', 'counter', 0, ',finished_reason="abort"'),
    ...(options.drafted === undefined
      ? []
      : [
          one('spec_decode_num_draft_tokens_total', 'counter', counters.replies * options.drafted),
          one('spec_decode_num_accepted_tokens_total', 'counter', counters.replies * (options.accepted ?? 0)),
        ]),
    ...(options.readBytes === undefined
      ? []
      : [
          one('estimated_read_bytes_per_gpu_total', 'counter', counters.replies * options.readBytes),
          one('estimated_write_bytes_per_gpu_total', 'counter', 0),
        ]),
    histogram('request_queue_time_seconds', queueSeconds),
    histogram('request_prefill_time_seconds', prefillSeconds),
    histogram('time_to_first_token_seconds', firstTokenSeconds),
    histogram('request_decode_time_seconds', 0.05),
    histogram('e2e_request_latency_seconds', firstTokenSeconds + 0.05),
    `# TYPE vllm:cache_config_info gauge\nvllm:cache_config_info{block_size="16",cache_dtype="auto",enable_prefix_caching="True",engine="0",gpu_memory_utilization="0.9",num_gpu_blocks="2048",prefix_caching_hash_algo="sha256"} 1.0\n`,
  ].join('');
};

const llamaPage = (options: EngineStubOptions, counters: Counters, running: number): string => {
  const one = (name: string, kind: string, value: number): string =>
    `# HELP llamacpp:${name} …\n# TYPE llamacpp:${name} ${kind}\nllamacpp:${name} ${value}\n`;
  return [
    // Without those that came from the cache, which have a counter of their own.
    one('prompt_tokens_total', 'counter', counters.prompt - counters.cached),
    one('prompt_tokens_cached_total', 'counter', counters.cached),
    one('prompt_seconds_total', 'counter', counters.replies * 0.01),
    one('tokens_predicted_total', 'counter', counters.generated),
    one('tokens_predicted_seconds_total', 'counter', counters.replies * 0.05),
    one('n_decode_total', 'counter', counters.generated),
    ...(options.drafted === undefined
      ? []
      : [
          one('spec_decode_num_draft_tokens_total', 'counter', counters.replies * options.drafted),
          one('spec_decode_num_accepted_tokens_total', 'counter', counters.replies * (options.accepted ?? 0)),
          one('spec_decode_num_drafts_total', 'counter', counters.replies * stepsOf(options)),
          '# TYPE llamacpp:spec_decode_num_accepted_tokens_per_pos_total counter\n',
          ...[0, 1].map(position => {
            const accepted = Math.min(
              stepsOf(options),
              Math.max(0, (options.accepted ?? 0) - position * stepsOf(options)),
            );
            return `llamacpp:spec_decode_num_accepted_tokens_per_pos_total{position="${position}"} ${counters.replies * accepted}\n`;
          }),
        ]),
    one('n_tokens_max', 'counter', 256),
    one('n_busy_slots_per_decode', 'counter', 1),
    one('requests_processing', 'gauge', running),
    one('requests_deferred', 'gauge', 0),
  ].join('');
};

/** After the first token each step gives one and those that it accepts. */
const stepsOf = ({ outputTokens = 8, accepted = 0 }: EngineStubOptions): number =>
  outputTokens - 1 - accepted;

const timingsOf = ({
  promptTokens,
  outputTokens,
  templateTokens,
  drafted,
  accepted,
}: Readonly<
  Record<'promptTokens' | 'outputTokens' | 'templateTokens' | 'drafted' | 'accepted', number>
>): object => ({
  cache_n: templateTokens,
  prompt_n: promptTokens - templateTokens,
  prompt_ms: 4.5,
  predicted_n: outputTokens,
  predicted_ms: 8.25,
  ...(drafted === 0 ? {} : { draft_n: drafted, draft_n_accepted: accepted }),
});

/** Of all texts of the messages: a token a word. */
const wordsOf = (body: string): number => body.split(/\s+/).length;

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += part;
  return text;
};

const notFound = (request: IncomingMessage, response: ServerResponse): void => {
  request.resume();
  response.writeHead(404, { 'content-type': 'application/json' });
  response.end('{"detail":"Not Found"}');
};

const listening = async (server: Server): Promise<string> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the stub has no port');
  return `http://127.0.0.1:${address.port}`;
};

const closed = async (server: Server): Promise<void> => {
  server.closeAllConnections();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  await promise;
};
