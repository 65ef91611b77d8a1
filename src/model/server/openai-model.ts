// The facts of a model from llama.cpp's server, vLLM or SGLang. They report sizes and limits, but no structure; if
// the server runs on this machine and reports its file, that file's own header is read.

import { counted } from '../../core/figure/figure.ts';
import { isJsonObject } from '../../core/json.ts';
import type { Engine } from '../../core/model/engine-constants.ts';
import { exactly, type ModelFacts, type ModelWeights } from '../../core/model/model-facts.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import { ModelError } from '../byte-source.ts';
import { hubModel } from '../hub-cache.ts';
import { fetchBoundedText, fetchObject } from './fetch-object.ts';
import {
  chosenName,
  type ModelQuestion,
  reportedNumber,
  reportedString,
  type ServersModel,
} from './servers-model.ts';

/**
 * @param readLocal reads a path of this machine.
 * @throws ModelError if there is no reply, or an unknown one.
 */
export const openAiModel = async (
  question: ModelQuestion,
  readLocal: (path: string) => Promise<ModelFacts>,
): Promise<ServersModel> => {
  const { base, signal, location } = question;
  const models = await fetchObject({ url: new URL('v1/models', base), signal });
  if (isUnknown(models) || !Array.isArray(models['data'])) {
    throw new ModelError({
      code: isUnknown(models) && models.code === 'unreachable' ? 'missing' : 'unsupported',
      problem: `${location} is no server of a model: ${isUnknown(models) ? models.reason : '/v1/models has no list'}`,
      advice: 'Name a .gguf file, a folder with config.json, or the URL of one or of a server.',
    });
  }
  const listed: readonly unknown[] = models['data'].slice(0, MODELS_MAX);
  const all = listed.filter(isJsonObject);
  const name = chosenName(
    question,
    all.flatMap(one => reportedString(one, 'id') ?? []),
  );
  const model = all.find(one => one['id'] === name) ?? {};
  const props = await fetchObject({ url: new URL('props', base), signal });
  const isLlama = !isUnknown(props) && reportedString(props, 'model_path') !== undefined;
  const reported = isLlama ? llamaReported(model, props) : await pagedReported(question, { model, name });
  const { path } = reported;
  const folder = await localFolder(question, path ?? name);
  const read =
    folder === undefined
      ? undefined
      : await readLocal(folder).catch((error: unknown) => {
          if (error instanceof ModelError) return undefined;
          throw error;
        });
  const notes = [
    ...reported.notes,
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
              : `it serves ${path}: a folder with its config.json contains what the server does not report`,
          ]),
  ];
  return {
    engine: reported.engine,
    facts: {
      ...(read ?? { ...reported.facts, notes: [] }),
      name,
      source: { kind: 'server', location },
      notes: [...(read?.notes ?? []), ...notes],
    },
  };
};

/**
 * The loaded model, if it can be read here: a path of this machine, or the id of a model that was downloaded to it.
 */
const localFolder = async ({ base, hub }: ModelQuestion, path: string): Promise<string | undefined> => {
  if (path.startsWith('/')) return isThisMachine(base) ? path : undefined;
  return hub === undefined ? undefined : await hubModel(path, hub);
};

interface ReportedState {
  readonly engine: Engine;
  readonly facts: Omit<ModelFacts, 'name' | 'source' | 'notes'>;
  /** Path of the model on the server's machine. */
  readonly path: string | undefined;
  readonly notes: readonly string[];
}

const llamaReported = (
  model: Readonly<Record<string, unknown>>,
  props: Readonly<Record<string, unknown>>,
): ReportedState => {
  const meta = isJsonObject(model['meta']) ? model['meta'] : {};
  const settings = isJsonObject(props['default_generation_settings'])
    ? props['default_generation_settings']
    : {};
  const slots = reportedNumber(props, 'total_slots');
  const context = reportedNumber(settings, 'n_ctx');
  const size = reportedNumber(meta, 'size');
  const parameters = reportedNumber(meta, 'n_params');
  const isKnown = size !== undefined && parameters !== undefined && parameters > 0;
  return {
    engine: 'llama.cpp',
    path: reportedString(props, 'model_path'),
    facts: {
      architecture: unknown(NOT_REPORTED_BY_SERVER),
      layers: unknown(NOT_REPORTED_BY_SERVER),
      hiddenSize: reportedNumber(meta, 'n_embd') ?? unknown(NOT_REPORTED_BY_SERVER),
      contextMax: reportedNumber(meta, 'n_ctx_train') ?? unknown(NOT_REPORTED_BY_SERVER),
      quantisation: isKnown
        ? `${Number(((size * 8) / parameters).toFixed(2))} bits a weight`
        : unknown(NOT_REPORTED_BY_SERVER),
      weights: isKnown ? sizeAlone(size, parameters) : unknown(NOT_REPORTED_BY_SERVER),
      cache: unknown(NOT_REPORTED_BY_SERVER),
      experts: unknown('the server does not report whether it has experts'),
    },
    notes: [
      ...(slots === undefined || context === undefined
        ? []
        : [`it has ${counted(slots, 'slot')} of ${counted(context, 'token')}`]),
      ...(reportedString(props, 'build_info') === undefined
        ? []
        : [`llama.cpp ${reportedString(props, 'build_info')}`]),
    ],
  };
};

/** What a token reads of it: all of it at most; the minimum is unknown if it has experts. */
const sizeAlone = (size: number, parameters: number): Reported<ModelWeights> => ({
  totalBytes: exactly(size),
  denseBytes: { low: 0, high: size },
  expertBytes: exactly(0),
  denseParameters: { low: 0, high: parameters },
  expertParameters: exactly(0),
  headParameters: exactly(0),
});

const pagedReported = async (
  { base, signal }: ModelQuestion,
  { model, name }: { readonly model: Readonly<Record<string, unknown>>; readonly name: string },
): Promise<ReportedState> => {
  const metrics = await fetchBoundedText({ url: new URL('metrics', base), signal });
  const info = await fetchObject({ url: new URL('get_server_info', base), signal });
  const isSglang = model['owned_by'] === 'sglang' || (!isUnknown(info) && 'model_path' in info);
  const isVllm = model['owned_by'] === 'vllm' || (typeof metrics === 'string' && /^vllm:/m.test(metrics));
  const settings = isUnknown(info) ? {} : info;
  const cached = typeof metrics === 'string' ? cacheConfig(metrics) : undefined;
  const capacity = isSglang ? reportedNumber(settings, 'max_total_num_tokens') : cached?.tokens;
  const cacheType = isSglang ? reportedString(settings, 'kv_cache_dtype') : cached?.type;
  const parts = reportedNumber(settings, 'tp_size');
  const path =
    (isSglang ? reportedString(settings, 'model_path') : undefined) ?? reportedString(model, 'root');
  const missing = unknown(`${isSglang ? 'SGLang' : isVllm ? 'vLLM' : 'the server'} does not report it`);
  return {
    engine: isSglang ? 'sglang' : isVllm ? 'vllm' : 'other',
    path: path === name && !name.startsWith('/') ? undefined : path,
    facts: {
      architecture: missing,
      layers: missing,
      hiddenSize: missing,
      contextMax:
        reportedNumber(model, 'max_model_len') ?? reportedNumber(settings, 'context_length') ?? missing,
      quantisation: missing,
      weights: missing,
      cache: missing,
      experts: unknown('the server does not report whether it has experts'),
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

/** A path from another machine must not be read here. */
const isThisMachine = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);

const NOT_REPORTED_BY_SERVER = 'not reported by the server';
const MODELS_MAX = 1_000;
