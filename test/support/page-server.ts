// A server that has certain pages and nothing else, on loopback, and reports what was requested of it.

import { createServer, type ServerResponse } from 'node:http';

export type ServedPage = object | string | ((response: ServerResponse) => void);

export interface PageServer extends AsyncDisposable {
  readonly port: number;
  readonly origin: string;
  /** "GET /v1/models", with all of its headers' names. */
  readonly requests: readonly { readonly line: string; readonly headers: readonly string[] }[];
}

/** @param port 0: any */
export const startPageServer = async (
  pages: Readonly<Record<string, ServedPage>>,
  { port = 0, headers = {} }: { readonly port?: number; readonly headers?: Record<string, string> } = {},
): Promise<PageServer> => {
  const requests: { readonly line: string; readonly headers: readonly string[] }[] = [];
  const server = createServer((request, response) => {
    requests.push({ line: `${request.method} ${request.url}`, headers: Object.keys(request.headers) });
    const page = pages[request.url ?? ''];
    if (typeof page === 'function') return page(response);
    response.writeHead(page === undefined ? 404 : 200, headers);
    response.end(typeof page === 'string' ? page : JSON.stringify(page ?? { error: 'Not Found' }));
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    port: address.port,
    origin: `http://127.0.0.1:${address.port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      await closed.promise;
    },
  };
};

/** What engines reply, after their own documentation; one entry each. */
export const ENGINE_PAGES = {
  vLLM: {
    '/v1/models': { object: 'list', data: [{ id: 'Qwen/Qwen3-32B', object: 'model', owned_by: 'vllm' }] },
    '/version': { version: '0.33.0' },
    '/metrics': 'vllm:num_requests_running{engine="0"} 3.0\nvllm:num_requests_waiting{engine="0"} 2.0\n',
  },
  SGLang: {
    '/v1/models': { object: 'list', data: [{ id: 'qwen/qwen3-8b', object: 'model', owned_by: 'sglang' }] },
    '/get_server_info': { version: '0.5.6', model_path: 'qwen/qwen3-8b' },
  },
  'llama.cpp': {
    '/v1/models': { object: 'list', data: [{ id: 'stub.gguf', object: 'model', owned_by: 'llamacpp' }] },
    '/props': { default_generation_settings: { n_ctx: 4_096 }, build_info: 'b11434-0a1b2c3d' },
    '/slots': [
      { id: 0, n_ctx: 4_096, is_processing: true, n_prompt_tokens: 12 },
      { id: 1, n_ctx: 4_096, is_processing: false },
    ],
  },
  Ollama: {
    '/v1/models': {
      object: 'list',
      data: ['gemma3:4b', 'qwen3:32b'].map(id => ({ id, object: 'model', owned_by: 'library' })),
    },
    '/api/version': { version: '0.40.12' },
    '/api/ps': { models: [{ name: 'gemma3:4b', model: 'gemma3:4b', size: 6_591_830_464 }] },
  },
  'LM Studio': {
    '/v1/models': {
      object: 'list',
      data: ['a', 'b'].map(id => ({ id, object: 'model', owned_by: 'organization_owner' })),
    },
    '/api/v0/models': {
      object: 'list',
      data: [
        { id: 'a', type: 'llm', arch: 'qwen3', state: 'loaded' },
        { id: 'b', type: 'llm', arch: 'gemma3', state: 'not-loaded' },
      ],
    },
  },
  TGI: {
    '/v1/models': {
      object: 'list',
      data: [{ id: 'HuggingFaceH4/zephyr-7b', owned_by: 'HuggingFaceH4/zephyr-7b' }],
    },
    '/info': { model_id: 'HuggingFaceH4/zephyr-7b', max_concurrent_requests: 128, version: '3.3.6' },
    '/metrics': 'tgi_batch_current_size 1\ntgi_queue_size 0\n',
  },
  exo: {
    '/v1/models': { object: 'list', data: ['x', 'y', 'z'].map(id => ({ id, owned_by: 'exo' })) },
    '/node_id': 'node-1234',
    '/ollama/api/version': { version: 'exo v1.0' },
    '/ollama/api/ps': { models: [{ name: 'mlx-community/Qwen3-30B-A3B-4bit' }] },
  },
  Triton: { '/v2': { name: 'triton', version: '2.63.0', extensions: ['classification', 'statistics'] } },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ServedPage>>>>;
