// The question of the headroom page, from and to its address: the question in the query, the model's facts in the fragment.
// The fragment never reaches a daemon, and another person with the address sees the same page.

import * as v from 'valibot';
import { isRunId, type RunId } from '../../../src/core/ids.ts';
import { parseAnyJson } from '../../../src/core/json.ts';
import { CACHE_TYPES, type CacheType } from '../../../src/core/model/cache-bytes.ts';
import type { Engine } from '../../../src/core/model/engine-constants.ts';
import type { HeadroomQuestion } from '../../../src/core/model/headroom-devices.ts';
import { type ModelFacts, modelFactsSchema } from '../../../src/core/model/model-facts.ts';

export interface HeadroomRequested extends Omit<HeadroomQuestion, 'engine' | 'outputTokens'> {
  /** Undefined: what the model's form suggests. */
  readonly engine: Engine | undefined;
  /** Only nodes whose name has one of these words; '' for all. Of a fleet the first of those are placed. */
  readonly nodes: string;
  /** The placement that is looked at; '' for the best. */
  readonly pick: string;
  /** Tokens a second that one sequence must get; undefined where nobody asked for any. */
  readonly objective: number | undefined;
  /** The run whose speed is shown next to what is expected. */
  readonly run: RunId | undefined;
}

export const readHeadroomAddress = (query: URLSearchParams): HeadroomRequested => {
  const engine = query.get('engine') ?? '';
  const cacheType = query.get('cache') ?? '';
  const run = query.get('run');
  return {
    contextTokens: countOf(query.get('context'), CONTEXT_TOKENS_MAX) ?? CONTEXT_TOKENS,
    batch: countOf(query.get('batch'), BATCH_MAX) ?? 1,
    engine: isEngine(engine) ? engine : undefined,
    cacheType: isCacheType(cacheType) ? cacheType : 'f16',
    nodes: (query.get('nodes') ?? '').slice(0, NODES_LENGTH_MAX),
    pick: query.get('pick') ?? '',
    objective: countOf(query.get('objective'), OBJECTIVE_MAX),
    run: run !== null && isRunId(run) ? run : undefined,
  };
};

/** What differs from the usual. */
export const headroomQuery = (requested: HeadroomRequested): URLSearchParams => {
  const query = new URLSearchParams();
  if (requested.contextTokens !== CONTEXT_TOKENS) query.set('context', String(requested.contextTokens));
  if (requested.batch !== 1) query.set('batch', String(requested.batch));
  if (requested.engine !== undefined) query.set('engine', requested.engine);
  if (requested.cacheType !== 'f16') query.set('cache', requested.cacheType);
  if (requested.objective !== undefined) query.set('objective', String(requested.objective));
  if (requested.run !== undefined) query.set('run', requested.run);
  if (requested.nodes !== '') query.set('nodes', requested.nodes);
  if (requested.pick !== '') query.set('pick', requested.pick);
  return query;
};

/** @param search as a person types them: "r02", "spark, atlas". */
export const nodesNamed = <T extends { readonly name: string }>(
  all: readonly T[],
  search: string,
): readonly T[] => {
  const wanted = search
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(word => word !== '');
  return wanted.length === 0
    ? all
    : all.filter(({ name }) => wanted.some(word => name.toLowerCase().includes(word)));
};

export const engineOf = ({ engine }: HeadroomRequested, { source }: ModelFacts): Engine =>
  engine ?? (source.kind === 'gguf' ? 'llama.cpp' : 'other');

/** '' for no model. */
export const modelFragment = (model: ModelFacts | undefined): string =>
  model === undefined ? '' : `#model=${encodeURIComponent(JSON.stringify(model))}`;

type AddressedModel =
  | { readonly kind: 'none' }
  | { readonly kind: 'here'; readonly model: ModelFacts }
  | { readonly kind: 'damaged' };

export const modelOfFragment = (fragment: string): AddressedModel => {
  const text = /^#model=(.*)$/.exec(fragment)?.[1];
  if (text === undefined) return { kind: 'none' };
  if (text.length > FRAGMENT_LENGTH_MAX) return { kind: 'damaged' };
  const read = v.safeParse(modelFactsSchema, parseAnyJson(decoded(text)));
  return read.success ? { kind: 'here', model: read.output } : { kind: 'damaged' };
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return ''; // "%" without its digits: cut off on its way
  }
};

const countOf = (text: string | null, most: number): number | undefined => {
  const count = Number(text);
  return text !== null && /^\d{1,9}$/.test(text) && count >= 1 && count <= most ? count : undefined;
};

const isEngine = (text: string): text is Engine => ENGINE_NAMES.some(engine => engine === text);
const isCacheType = (text: string): text is CacheType => Object.hasOwn(CACHE_TYPES, text);

export const ENGINE_NAMES: readonly Engine[] = ['llama.cpp', 'mlx', 'vllm', 'sglang', 'other'];
export const CONTEXT_TOKENS = 8_192;
const CONTEXT_TOKENS_MAX = 100_000_000;
const NODES_LENGTH_MAX = 1_024;
const BATCH_MAX = 100_000;
const OBJECTIVE_MAX = 1_000_000;
/** Facts of a model with a list by layer take some thousand characters. */
const FRAGMENT_LENGTH_MAX = 65_536;
