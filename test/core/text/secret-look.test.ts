import { expect, test } from 'vitest';
import { isSecretName, looksSecret, secretIn } from '../../../src/core/text/secret-look.ts';

test.each([
  'api_key',
  'apiKey',
  'OPENAI_API_KEY',
  'token',
  'auth-token',
  'password',
  'db.password',
  'client_secret',
  'Authorization',
  'cookie',
  'credentials',
])('%s is the name of a secret', name => {
  expect(isSecretName(name)).toBe(true);
});

test.each([
  'max_tokens',
  'stop_token_ids',
  'allowed_token_ids',
  'eos_token',
  'tokenizer',
  'prompt_cache_key',
  'keyboard',
  'top_k',
  'temperature',
])('%s is none', name => {
  expect(isSecretName(name)).toBe(false);
});

test.each([
  ['a field', { api_key: 'abc' }, 'api_key'],
  ['a field in another one', { extra: { auth: [{ token: 'abc' }] } }, 'extra.auth.0.token'],
  ['anything in a secret', { credentials: { user: 'me', pass: 'abc' } }, 'credentials.user'],
  ['a key by its look', { user: 'sk-abcdefgh12345678' }, 'user'],
  ['a header by its look', { note: ['Bearer abcdefghijk'] }, 'note.note'],
  ['the password of a URL', { callback: 'https://me:secret@host/' }, 'callback'],
  [
    'a key in the schema of a tool',
    { tools: [{ name: 'x', default: 'sk-abcdefgh12345678' }] },
    'tools.tools.default',
  ],
])('finds %s', (_, fields, place) => {
  expect(secretIn(fields)).toBeDefined();
  expect(secretIn(fields)?.split('.')[0]).toBe(place.split('.')[0]);
});

test.each([
  ['sampling', { top_k: 40, stop: ['\n'], seed: 1, logit_bias: { '5': 1 }, stop_token_ids: [1, 2] }],
  ['a field that is left out', { api_key: null, token: '' }],
  [
    'what a schema describes',
    { response_format: { json_schema: { properties: { api_key: { type: 'string' } } } } },
  ],
  ['a cache', { prompt_cache_key: 'run-1' }],
])('finds none in %s', (_, fields) => {
  expect(secretIn(fields)).toBeUndefined();
});

test('a URL with a user and no password is no secret', () => {
  expect(looksSecret('https://me@host/')).toBe(false);
  expect(looksSecret('http://[::1]:8000/a@b')).toBe(false);
});
