// Detects what looks like a secret, by its name or by its form: such input is rejected where it would be
// stored, and left out of a server's reported settings. A name is enough, because most keys have no
// recognisable form.

import { isJsonObject, type JsonObject } from '../json.ts';

/**
 * The form of keys of well-known issuers, of an authorization header's value, and of a password in a URL.
 */
export const looksSecret = (text: string): boolean => SECRET_VALUES.some(value => value.test(text));

/** For a setting: after the last dot or underscore. "tokenizer" and "eos_token" are not secrets. */
export const isSecretSetting = (name: string): boolean => SECRET_SETTING.test(name);

/**
 * For a name that a person gives: "api_key", "openaiKey", "token" and "db.password" are, "max_tokens" and
 * "prompt_cache_key" are not.
 */
export const isSecretName = (name: string): boolean => {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const joined = words.join('_');
  return (
    !NO_SECRETS.has(joined) &&
    !words.some(word => TOKENS_OF_TEXT.has(word)) &&
    (words.some(word => SECRET_WORDS.has(word)) || SECRET_SETTING.test(joined))
  );
};

/** Path of a field of a request that looks like a secret: "extra.api_key". Undefined: none. */
export const secretIn = (fields: JsonObject): string | undefined => {
  for (const name of Object.keys(fields)) {
    // A schema names what it describes, without a value.
    const found = secretAt(fields[name], [name], !SCHEMA_FIELDS.has(name), false);
    if (found !== undefined) return found;
  }
  return undefined;
};

const secretAt = (
  value: unknown,
  path: readonly string[],
  areNamesMeant: boolean,
  isInSecret: boolean,
): string | undefined => {
  const isSecret = isInSecret || (areNamesMeant && isSecretName(path.at(-1) ?? ''));
  if (typeof value === 'string')
    return (isSecret && value !== '') || looksSecret(value) ? path.join('.') : undefined;
  if (path.length >= DEPTH_MAX)
    return value === null || typeof value !== 'object' ? undefined : path.join('.');
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? value.map((inner: unknown) => [path.at(-1) ?? '', inner])
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  for (const [name, inner] of entries) {
    const found = secretAt(inner, [...path, name], areNamesMeant, isSecret);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Deeper than any field of a request; deeper values are rejected without a search. */
const DEPTH_MAX = 24;
const SECRET_WORDS: ReadonlySet<string> = new Set([
  'key',
  'keys',
  'apikey',
  'token',
  'password',
  'passwd',
  'passphrase',
  'passcode',
  'pwd',
  'secret',
  'secrets',
  'credential',
  'credentials',
  'authorization',
  'authorisation',
  'bearer',
  'cookie',
  'cookies',
]);
/** Words in the names of text tokens. */
const TOKENS_OF_TEXT: ReadonlySet<string> = new Set([
  'eos',
  'bos',
  'pad',
  'unk',
  'sep',
  'cls',
  'mask',
  'stop',
  'special',
  'logit',
  'thinking',
  'think',
  'ids',
  'type',
]);
/** From OpenAI and compatible servers: a name that the caller chooses to find its cache again. */
const NO_SECRETS: ReadonlySet<string> = new Set([
  'prompt_cache_key',
  'cache_key',
  'routing_key',
  'session_key',
]);
/** Fields of requests with schemas, in the APIs of OpenAI, Anthropic, vLLM, SGLang, llama.cpp and Ollama. */
const SCHEMA_FIELDS: ReadonlySet<string> = new Set([
  'tools',
  'functions',
  'response_format',
  'json_schema',
  'guided_json',
  'structured_outputs',
  'text',
  'format',
]);
const SECRET_SETTING =
  /(^|[._\-[\]])((api|admin|private|ssl|secret|access|encryption)[_-]?key\w*|keyfile\w*|secret\w*|passw\w*|pwd|credentials?|authori[sz]ation|cookie|(access|auth|api|hf|bearer|admin|session|refresh)[_-]?token)$/i;
const SECRET_VALUES: readonly RegExp[] = [
  /\b(?:sk|hf|gh[oprsu]|github_pat|glpat|xox[abeprs]|nvapi)[-_][A-Za-z0-9_-]{8,}/,
  // Groq, xAI, Perplexity, Together, Replicate, Fireworks, npm: such a short prefix may also start an
  // ordinary name.
  /\b(?:gsk|xai|pplx|tgp_v1|r8|fw|npm)[-_][A-Za-z0-9_-]{20,}/,
  // Google, Amazon.
  /\bAIza[A-Za-z0-9_-]{35}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  // A JSON Web Token (RFC 7519), the seed of a NATS key.
  /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.|\bS[ACNOUX][A-Z2-7]{56}\b/,
  /\bBearer \S{8,}|\bBasic [A-Za-z0-9+/=]{8,}|-----BEGIN /,
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s/@:]*:[^\s/@]+@/i,
];
