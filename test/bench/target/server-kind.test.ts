import { expect, test } from 'vitest';
import { findServerKind, type KindAnswer } from '../../../src/bench/target/query-server.ts';
import { isUnknown } from '../../../src/core/unknown.ts';

const serving =
  (answers: Readonly<Record<string, unknown>>, server = '') =>
  async (path: string): Promise<KindAnswer> =>
    path in answers
      ? { kind: 'answer', status: 200, text: JSON.stringify(answers[path]), server }
      : { kind: 'answer', status: 404, text: '', server };

test.each([
  ['vLLM', { '/version': { version: '0.11.0' } }],
  ['SGLang', { '/get_model_info': { model_path: 'm', is_generation: true }, '/version': { version: '1' } }],
  ['llama.cpp', { '/props': { default_generation_settings: {}, total_slots: 1 } }],
  ['Ollama', { '/api/version': { version: '0.12.0' } }],
  ['TGI', { '/info': { model_id: 'm', max_concurrent_requests: 128 } }],
  ['LM Studio', { '/api/v0/models': { data: [{ id: 'm', arch: 'llama', state: 'loaded' }] } }],
])('%s is known by what only it serves', async (kind, answers) => {
  expect(await findServerKind(serving(answers))).toBe(kind);
});

test("MLX's server is known by its header", async () => {
  expect(await findServerKind(serving({}, 'BaseHTTP/0.6 Python/3.12'))).toBe('MLX');
});

test.each([
  ['answers nothing', async (): Promise<KindAnswer> => ({ kind: 'no-answer' })],
  ['answers 404 to all', serving({})],
  ['answers everything with a list', serving({ '/version': [], '/props': 5, '/info': null })],
])('a server that %s is unknown, with the reason', async (_, get) => {
  expect(isUnknown(await findServerKind(get))).toBe(true);
});
