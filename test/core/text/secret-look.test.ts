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

const SOME = 'aB1cD2eF3g'.repeat(4);

test.each([
  ...[
    'ghp_',
    'ghs_',
    'github_pat_',
    'glpat-',
    'gsk_',
    'xai-',
    'pplx-',
    'tgp_v1_',
    'r8_',
    'fw_',
    'npm_',
    'sk-',
  ],
  ...['hf_', 'nvapi-', 'xoxp-'],
])('a key that begins with %s looks like a secret, anywhere in a text', beginning => {
  expect(looksSecret(`with ${beginning}${SOME}.`)).toBe(true);
});

test.each([
  ['Google', `AIza${SOME.slice(0, 35)}`],
  ['Amazon', `AKIA${'A1'.repeat(8)}`],
  ['a JSON Web Token', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${SOME}`],
  ['the seed of a NATS key', `SU${'AB'.repeat(28)}`],
])('a key of %s looks like a secret', (_, key) => {
  expect(looksSecret(key)).toBe(true);
});

test.each([
  ...['npm_config_registry', 'xai-org/grok-1', 'fw_version', 'meta-llama/Llama-3.1-8B-Instruct', 'r8_short'],
  ...['0f3c9a'.repeat(10), 'SAMPLES OF WORDS', 'the sky is blue'],
])('%s is no secret', text => {
  expect(looksSecret(text)).toBe(false);
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
])('finds %s', (_, fields, path) => {
  expect(secretIn(fields)).toBeDefined();
  expect(secretIn(fields)?.split('.')[0]).toBe(path.split('.')[0]);
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
