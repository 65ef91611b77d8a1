// A server's version and settings, from the page that its kind has for them. It is foreign text: limited, on one line
// each, and without anything that looks like a secret, because some servers print their own API key among their
// settings.

import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import {
  SERVER_FACT_NAME_MAX,
  SERVER_FACT_VALUE_MAX,
  SERVER_FACTS_MAX,
  type ServerFact,
  type ServerReported,
} from '../../core/run/provenance.ts';
import { isSecretSetting, looksSecret } from '../../core/text/secret-look.ts';
import { singleLine } from '../../core/text/single-line.ts';
import type { HeaderField } from './load-target.ts';
import { pageLines } from './server-metrics.ts';

interface ServerPage {
  /** "GET /version" */
  readonly from: string;
  readonly json: unknown;
}

/** @param headers of the requests: if the server repeats their values, they are redacted */
export const serverFacts = (
  pages: readonly ServerPage[],
  headers: readonly HeaderField[],
): readonly ServerReported[] => {
  const secrets = headers.flatMap(secretsOf);
  let room = SERVER_FACTS_MAX;
  return pages.flatMap(({ from, json }) => {
    const leaves = leavesOf(json)
      .toSorted((one, other) => rankOf(one.name) - rankOf(other.name))
      .slice(0, room);
    room -= leaves.length;
    const facts = leaves.map(({ name, value }): ServerFact => {
      const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
      return {
        name: cut(singleLine(name), SERVER_FACT_NAME_MAX),
        value: isSecret(name, text, secrets) ? LEFT_OUT : shortened(withoutPassword(text)),
      };
    });
    return facts.length === 0 ? [] : [{ from, facts }];
  });
};

/**
 * The labels of `vllm:cache_config_info{block_size="16",num_gpu_blocks="…"} 1`: vLLM's settings of its KV cache are
 * nowhere else. With several engines, those of the first.
 */
export const cacheConfigOf = (page: string): JsonObject | undefined => {
  for (const line of pageLines(page)) {
    const labels = /^vllm:cache_config_info\{(.*)\}/.exec(line)?.[1];
    if (labels === undefined) continue;
    return Object.fromEntries(
      labels
        .matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)
        .flatMap(([, name = '', value = '']) => (value === 'None' ? [] : [[name, value]])),
    );
  }
  return undefined;
};

interface Leaf {
  /** A path in the server's JSON. */
  readonly name: string;
  readonly value: unknown;
}

const leavesOf = (json: unknown): readonly Leaf[] => {
  const leaves: Leaf[] = [];
  let visits = VISITS_MAX;
  const add = (name: string, value: unknown, depth: number): void => {
    visits -= 1;
    if (visits < 0 || value === null || value === undefined) return;
    if (depth < DEPTH_MAX && isJsonObject(value)) {
      eachOf(value, (key, inner) => {
        if (visits >= 0 && !FLEETING.has(key)) add(name === '' ? key : `${name}.${key}`, inner, depth + 1);
      });
      return;
    }
    if (depth < DEPTH_MAX && Array.isArray(value) && value.some(isJsonObject)) {
      for (const [at, inner] of value.slice(0, SERVER_FACTS_MAX).entries())
        add(`${name}[${at}]`, inner, depth + 1);
      return;
    }
    leaves.push({ name, value });
  };
  add('', json, 0);
  return leaves;
};

/** Settings that determine performance come first: the rest may be cut, and a report on a screen shows a few. */
const rankOf = (name: string): number => {
  const index = FIRST.indexOf(name);
  return index === -1 ? FIRST.length : index;
};

const eachOf = (object: JsonObject, each: (key: string, value: unknown) => void): void => {
  for (const key in object) if (Object.hasOwn(object, key)) each(key, object[key]);
};

/**
 * The values of headers, and the parts of them that a server may repeat: a key without "Bearer", name and password of
 * "Basic".
 */
const secretsOf = ({ value }: HeaderField): readonly string[] => {
  const last = value.split(' ').at(-1) ?? '';
  const decoded = Buffer.from(last, 'base64').toString('utf8');
  const password = decoded.slice(decoded.indexOf(':') + 1);
  return [value, last, password].filter(({ length }) => length >= SECRET_LENGTH_MIN);
};

const isSecret = (name: string, text: string, secrets: readonly string[]): boolean =>
  isSecretSetting(name) ||
  looksSecret(withoutPassword(text)) ||
  secrets.some(secret => text.includes(secret));

const withoutPassword = (text: string): string => text.replace(/\/\/[^/@\s]*@/g, '//');

/** Shortened values stay distinguishable if they were cut to the same text. */
const shortened = (text: string): string => {
  const line = singleLine(text);
  if (line.length <= SERVER_FACT_VALUE_MAX) return line;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, DIGEST_SHOWN);
  const rest = `… (${text.length} characters, sha256 ${digest})`;
  return `${cut(line, SERVER_FACT_VALUE_MAX - rest.length)}${rest}`;
};

/** Leaves no half of a surrogate pair at the end. */
const cut = (text: string, lengthMax: number): string =>
  text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, '');

const FIRST: readonly string[] = [
  'version',
  'build_info',
  'system_fingerprint',
  'total_slots',
  'default_generation_settings.n_ctx',
  'model_path',
  'model_alias',
  'num_gpu_blocks',
  'block_size',
  'cache_dtype',
  'gpu_memory_utilization',
  'enable_prefix_caching',
  'max_model_len',
];
const LEFT_OUT = '(left out: it may be a secret)';
const SECRET_LENGTH_MIN = 4;
/** Values that differ between requests, so that they are not taken for settings. */
const FLEETING: ReadonlySet<string> = new Set([
  'created',
  'created_at',
  'modified_at',
  'expires_at',
  'permission',
  'internal_states',
  'last_gen_throughput',
  'is_processing',
  'is_sleeping',
  'id_task',
  'n_past',
  'next_token',
  'timings',
  'uptime',
]);
const DEPTH_MAX = 5;
const VISITS_MAX = 4_096;
const DIGEST_SHOWN = 12;
