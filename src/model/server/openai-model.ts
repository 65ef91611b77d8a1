// The facts of a model from llama.cpp's server, vLLM or SGLang. They tell sizes and limits, and no structure; where the server
// runs on this machine and says which file it has loaded, that file's own header is read.

import { counted } from '../../core/figure/figure.ts';
import { isJsonObject } from '../../core/json.ts';
import type { Engine } from '../../core/model/engine-constants.ts';
import { exactly, type ModelFacts, type ModelWeights } from '../../core/model/model-facts.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import { hubModel } from '../hub-cache.ts';
import { ModelError } from '../model-error.ts';
import { askBoundedText, askObject } from './ask-object.ts';
import { chosenName, type ModelQuestion, type ServersModel, toldNumber, toldText } from './servers-model.ts';

/**
 * @param readLocal reads a path of this machine.
 * @throws ModelError where nobody answers, or nothing that is known here.
 */
export const openAiModel = async (
  question: ModelQuestion,
  readLocal: (path: string) => Promise<ModelFacts>,
): Promise<ServersModel> => {
  const { base, signal, place } = question;
  const models = await askObject({ url: new URL('v1/models', base), signal });
  if (isUnknown(models) || !Array.isArray(models['data'])) {
    throw new ModelError({
      code: isUnknown(models) && models.code === 'unreachable' ? 'missing' : 'unsupported',
      problem: `${place} is no server of a model: ${isUnknown(models) ? models.reason : '/v1/models has no list'}`,
      advice: 'Name a .gguf file, a folder with config.json, or the URL of one or of a server.',
    });
  }
  const listed: readonly unknown[] = models['data'].slice(0, MODELS_MAX);
  const all = listed.filter(isJsonObject);
  const name = chosenName(
    question,
    all.flatMap(one => toldText(one, 'id') ?? []),
  );
  const model = all.find(one => one['id'] === name) ?? {};
  const props = await askObject({ url: new URL('props', base), signal });
  const isLlama = !isUnknown(props) && toldText(props, 'model_path') !== undefined;
  const told = isLlama ? llamaTold(model, props) : await pagedTold(question, { model, name });
  const { path } = told;
  const folder = await localFolder(question, path ?? name);
  const read =
    folder === undefined
      ? undefined
      : await readLocal(folder).catch((error: unknown) => {
          if (error instanceof ModelError) return undefined;
          throw error;
        });
  const notes = [
    ...told.notes,
    ...(read !== undefined
      ? [
          folder === path
            ? `layers, cache and tensors are those of ${path}, which it says it has loaded`
            : `layers, cache and tensors are those of ${path ?? name} in the hub's cache of this machine, ${folder}`,
        ]
      : path === undefined
        ? []
        : [
            path.startsWith('/')
              ? `it has loaded ${path}, which cannot be read from here: name a copy of it for all facts`
              : `it serves ${path}: a folder with its config.json tells what the server does not`,
          ]),
  ];
  return {
    engine: told.engine,
    facts: {
      ...(read ?? { ...told.facts, notes: [] }),
      name,
      source: { kind: 'server', place },
      notes: [...(read?.notes ?? []), ...notes],
    },
  };
};

/** What it has loaded, if that can be read here: a path of this machine, or the id of a model that was downloaded to it. */
const localFolder = async ({ base, hub }: ModelQuestion, path: string): Promise<string | undefined> => {
  if (path.startsWith('/')) return isThisMachine(base) ? path : undefined;
  return hub === undefined ? undefined : await hubModel(path, hub);
};

interface Told {
  readonly engine: Engine;
  readonly facts: Omit<ModelFacts, 'name' | 'source' | 'notes'>;
  /** Of the model, on the server's machine. */
  readonly path: string | undefined;
  readonly notes: readonly string[];
}

const llamaTold = (
  model: Readonly<Record<string, unknown>>,
  props: Readonly<Record<string, unknown>>,
): Told => {
  const meta = isJsonObject(model['meta']) ? model['meta'] : {};
  const settings = isJsonObject(props['default_generation_settings'])
    ? props['default_generation_settings']
    : {};
  const slots = toldNumber(props, 'total_slots');
  const context = toldNumber(settings, 'n_ctx');
  const size = toldNumber(meta, 'size');
  const parameters = toldNumber(meta, 'n_params');
  const isKnown = size !== undefined && parameters !== undefined && parameters > 0;
  return {
    engine: 'llama.cpp',
    path: toldText(props, 'model_path'),
    facts: {
      architecture: unknown(NOT_TOLD_BY_SERVER),
      layers: unknown(NOT_TOLD_BY_SERVER),
      hiddenSize: toldNumber(meta, 'n_embd') ?? unknown(NOT_TOLD_BY_SERVER),
      contextMax: toldNumber(meta, 'n_ctx_train') ?? unknown(NOT_TOLD_BY_SERVER),
      quantisation: isKnown
        ? `${Number(((size * 8) / parameters).toFixed(2))} bits a weight`
        : unknown(NOT_TOLD_BY_SERVER),
      weights: isKnown ? sizeAlone(size, parameters) : unknown(NOT_TOLD_BY_SERVER),
      cache: unknown(NOT_TOLD_BY_SERVER),
      experts: unknown('the server does not tell whether it has experts'),
    },
    notes: [
      ...(slots === undefined || context === undefined
        ? []
        : [`it has ${counted(slots, 'slot')} of ${counted(context, 'token')}`]),
      ...(toldText(props, 'build_info') === undefined ? [] : [`llama.cpp ${toldText(props, 'build_info')}`]),
    ],
  };
};

/** What a token reads of it: all at most, and nobody knows how little if it has experts. */
const sizeAlone = (size: number, parameters: number): Reported<ModelWeights> => ({
  totalBytes: exactly(size),
  denseBytes: { low: 0, high: size },
  expertBytes: exactly(0),
  denseParameters: { low: 0, high: parameters },
  expertParameters: exactly(0),
  headParameters: exactly(0),
});

const pagedTold = async (
  { base, signal }: ModelQuestion,
  { model, name }: { readonly model: Readonly<Record<string, unknown>>; readonly name: string },
): Promise<Told> => {
  const metrics = await askBoundedText({ url: new URL('metrics', base), signal });
  const info = await askObject({ url: new URL('get_server_info', base), signal });
  const isSglang = model['owned_by'] === 'sglang' || (!isUnknown(info) && 'model_path' in info);
  const isVllm = model['owned_by'] === 'vllm' || (typeof metrics === 'string' && /^vllm:/m.test(metrics));
  const settings = isUnknown(info) ? {} : info;
  const cached = typeof metrics === 'string' ? cacheConfig(metrics) : undefined;
  const capacity = isSglang ? toldNumber(settings, 'max_total_num_tokens') : cached?.tokens;
  const cacheType = isSglang ? toldText(settings, 'kv_cache_dtype') : cached?.type;
  const parts = toldNumber(settings, 'tp_size');
  const path = (isSglang ? toldText(settings, 'model_path') : undefined) ?? toldText(model, 'root');
  const missing = unknown(`${isSglang ? 'SGLang' : isVllm ? 'vLLM' : 'the server'} does not tell it`);
  return {
    engine: isSglang ? 'sglang' : isVllm ? 'vllm' : 'other',
    path: path === name && !name.startsWith('/') ? undefined : path,
    facts: {
      architecture: missing,
      layers: missing,
      hiddenSize: missing,
      contextMax: toldNumber(model, 'max_model_len') ?? toldNumber(settings, 'context_length') ?? missing,
      quantisation: missing,
      weights: missing,
      cache: missing,
      experts: unknown('the server does not tell whether it has experts'),
    },
    notes: [
      ...(capacity === undefined
        ? []
        : [`its cache holds ${counted(capacity, 'token')} of all requests together`]),
      ...(cacheType === undefined ? [] : [`type of its cache: ${cacheType}`]),
      ...(parts === undefined || parts <= 1
        ? []
        : [`it runs on ${counted(parts, 'device')} (tensor parallel)`]),
    ],
  };
};

/** vLLM's `vllm:cache_config_info{block_size="16",num_gpu_blocks="…",cache_dtype="auto"} 1`. */
const cacheConfig = (
  metrics: string,
): { readonly tokens: number | undefined; readonly type: string | undefined } | undefined => {
  const labels = /^vllm:cache_config_info\{([^}\n]{0,4000})\}/m.exec(metrics)?.[1];
  if (labels === undefined) return undefined;
  const label = (name: string): string | undefined =>
    new RegExp(`(?:^|,)${name}="([^"]{0,100})"`).exec(labels)?.[1];
  const tokens = Number(label('block_size')) * Number(label('num_gpu_blocks'));
  return {
    tokens: Number.isSafeInteger(tokens) && tokens > 0 ? tokens : undefined,
    type: label('cache_dtype'),
  };
};

/** A path that another machine tells is nothing to look up here. */
const isThisMachine = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);

const NOT_TOLD_BY_SERVER = 'the server does not tell it';
const MODELS_MAX = 1_000;
