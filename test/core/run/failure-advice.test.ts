import { describe, expect, test } from 'vitest';
import { type AdviceContext, adviceContext, failureAdvice } from '../../../src/core/run/failure-advice.ts';
import type { FailureKind } from '../../../src/core/run/outcome.ts';

const CONTEXT: AdviceContext = {
  target: 'http://127.0.0.1:8000',
  api: 'chat',
  model: 'm',
  offeredModels: ['a', 'b'],
};
const advice = (statusCode: number, example: string, kind: FailureKind = 'http-status', context = CONTEXT) =>
  failureAdvice({ kind, statusCode, example }, context);

describe('the advice', () => {
  test.each([
    [401, 'Unauthorized'],
    [401, 'Invalid API Key'],
    [401, ''],
  ])('of %d %s is to provide a key', (status, text) => {
    expect(advice(status, text)).toMatch(/--api-key-file/);
  });

  test('of a request that this client gave up is not that of the status which had come', () => {
    for (const status of [401, 404, 429, 500, 503])
      expect(advice(status, 'no space for the reply: the parse thread is behind', 'client')).toBe('');
    expect(advice(500, 'boom')).toBe('The server failed: its own log says why.');
  });

  test.each([
    ['vLLM', 404, 'The model `x` does not exist.'],
    ['Ollama', 404, 'model "x" not found, try pulling it first'],
    [
      'LiteLLM',
      400,
      'Invalid model name passed in model=x. Call `/v1/models` to view available models for your key.',
    ],
    ['OpenAI', 404, 'The model `gpt-9` does not exist or you do not have access to it.'],
    ['llama.cpp', 400, 'model not found'],
  ])('of the model that %s does not have is one that it has', (_, status, text) => {
    expect(advice(status, text)).toBe('The server has a, b. Use: --model a');
    expect(advice(status, text, 'http-status', { target: 'http://h:1/', api: 'chat', model: 'm' })).toBe(
      'Check the name: --model M. The server lists its models at http://h:1/v1/models.',
    );
  });

  test.each([
    [
      'vLLM',
      "This model's maximum context length is 64 tokens. However, you requested 100 tokens (50 in the messages, 50 in the completion).",
    ],
    [
      'vLLM',
      "'max_tokens' or 'max_completion_tokens' is too large: 100. This model's maximum context length is 64 tokens and your request has 17 input tokens (100 > 64 - 17).",
    ],
    ['llama.cpp', 'request (81 tokens) exceeds the available context size (64 tokens), try increasing it'],
    ['SGLang', "The input (81 tokens) is longer than the model's context length (64 tokens)."],
    ['SGLang', "Requested token count exceeds the model's maximum context length of 64 tokens."],
    [
      'TGI',
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 64. Given: 81 `inputs` tokens and 32 `max_new_tokens`',
    ],
    ['Anthropic', 'prompt is too long: 208310 tokens > 200000 maximum'],
  ])('of a context that is too long for %s is to ask for less', (_, text) => {
    expect(advice(400, text)).toMatch(/^Ask for less with --input-tokens/);
  });

  test.each([
    ['CUDA out of memory. Tried to allocate 20.00 MiB'],
    ['model requires more system memory (5.6 GiB) than is available (3.2 GiB)'],
    [
      'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 1024.00 MiB on device 0: cudaMalloc failed: out of memory',
    ],
  ])('of a server without memory (%s) is to send less', text => {
    expect(advice(500, text)).toMatch(/^The server ran out of memory/);
    expect(advice(200, text, 'error-frame')).toMatch(/^The server ran out of memory/);
  });

  test('of a field that is rejected is the option that leaves it out', () => {
    expect(advice(400, 'Unrecognized request argument supplied: stream_options')).toContain(
      `--body '{"stream_options":null}'`,
    );
    expect(advice(422, 'ignore_eos: Extra inputs are not permitted')).toContain(
      `--body '{"ignore_eos":null}'`,
    );
    expect(advice(400, 'Unrecognized request argument supplied: min_tokens')).toContain(
      `--body '{"min_tokens":null}'`,
    );
    expect(
      advice(
        400,
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      ),
    ).toContain('"max_completion_tokens":256');
  });

  test('never is to leave out the model or the messages', () => {
    expect(advice(400, "Invalid value for parameter 'messages'")).not.toContain('"messages":null');
    expect(advice(422, 'messages: Field required')).not.toContain('null');
  });

  test.each([404, 405])('of a path that is not there (%d) is another API', status => {
    expect(advice(status, 'Not Found')).toMatch(/--api completions/);
  });

  test('of a model without a chat template is the API without one', () => {
    expect(advice(400, 'As of transformers v4.44, default chat template is no longer allowed')).toContain(
      '--api completions',
    );
  });

  test('of a server that expects rankings in another form is its API', () => {
    const text = 'Failed to deserialize the JSON body into the target type: missing field `texts`';
    expect(advice(422, text)).toContain('--api tei-rerank');
  });

  test.each([
    ['llama.cpp', 501, 'This server does not support reranking. Start it with `--reranking`'],
    ['vLLM', 400, 'The model does not support Rerank (Score) API'],
    ['TEI', 424, 'model is not a re-ranker model'],
  ])('of a model that %s cannot rank with is another model', (_, status, text) => {
    expect(advice(status, text)).toContain('no model that ranks documents');
  });

  test.each([
    ['connection refused (ECONNREFUSED)', 'Start the server, or check host and port.'],
    ['its name cannot be resolved (ENOTFOUND)', 'Check the host name.'],
  ])('of a connection (%s) is that of the code', (text, wanted) => {
    expect(advice(0, text, 'connect')).toBe(wanted);
  });

  test('of a connection names the URL, of several, at which nothing was answered', () => {
    const urls = [{ url: 'http://a:1' }, { url: 'http://b:1' }];
    const of = (failedOfA: number, completedOfB: number) =>
      adviceContext({
        run: { ...CONTEXT, urls },
        counts: { issued: 9, completed: completedOfB, failed: failedOfA, cancelled: 0, unresolved: 0 },
        variants: [
          { variant: 0, completed: 0, failed: failedOfA },
          { variant: 1, completed: completedOfB, failed: 0 },
        ],
      });
    const refused = 'connection refused (ECONNREFUSED)';
    expect(advice(0, refused, 'connect', of(4, 5))).toBe(
      'http://a:1 answered none of its requests. Start the server, or check host and port.',
    );
    expect(advice(0, refused, 'connect', of(0, 5))).toMatch(/^The server answered other requests/);
  });

  test('of TLS is that of the code', () => {
    expect(
      advice(0, 'its certificate is not signed by a trusted CA (DEPTH_ZERO_SELF_SIGNED_CERT)', 'tls'),
    ).toMatch(/NODE_EXTRA_CA_CERTS/);
    expect(advice(0, 'it does not use TLS (EPROTO)', 'tls')).toBe('Write http:// instead of https://.');
  });

  test.each([
    [502, /^A proxy answered/],
    [504, /^A proxy answered/],
    [503, /^The server is starting, stopped or full/],
    [429, /^The server limits/],
    [529, /^The server limits/],
    [500, /^The server failed/],
    [413, /client_max_body_size/],
    [307, /redirects/],
  ])('of status %d reports what it means', (status, wanted) => {
    expect(advice(status, 'x')).toMatch(wanted);
  });

  test('of 503 whose message is that of a full queue is that of overload', () => {
    expect(advice(503, 'The request queue is full')).toBe(advice(429, 'x'));
    expect(advice(503, 'Loading model')).toMatch(/^The server is starting/);
  });

  test('of a timeout names the option that waits longer', () => {
    expect(advice(0, 'first-byte: no byte within 30 s', 'timeout')).toContain('--timeout-first-byte');
    expect(advice(0, 'total: no end within 900 ms', 'timeout')).toContain('--timeout 10m');
  });

  test('is nothing if nothing is known to help', () => {
    expect(advice(418, "I'm a teapot")).toBe('');
  });
});
