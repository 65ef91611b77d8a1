// Engines that serve models over HTTP, once: the name in reports, the ports that they listen on unless configured otherwise,
// what identifies them, and which of their pages contain version, loaded models and requests in flight. All pages are
// GETs that change nothing: none of them loads a model, apart from those of an engine that `sleeps`.

import { isJsonObject, type JsonObject } from '../json.ts';
import type { Engine } from '../model/engine-constants.ts';

/** Prometheus metrics; llama.cpp's slots. */
type CountPage = '/metrics' | '/slots';

export interface ServerEngine {
  /** As reports name it. */
  readonly name: string;
  /** Default ports; none: it has no fixed one. */
  readonly ports: readonly number[];
  /** `owned_by` of the models in its list. */
  readonly owner?: string;
  /** How its header "server" starts, in lower case. */
  readonly header?: string;
  /** A page that only this engine has. */
  readonly sign?: { readonly path: string; readonly isOurs: (json: JsonObject) => boolean };
  /** Its version and settings. */
  readonly settingsPath?: string;
  /** Field of that page with the version. Default: none. */
  readonly versionField?: string;
  /** The models in memory, if its list of models also has others. */
  readonly loaded?: {
    readonly path: string;
    /** undefined: not that page. */
    readonly read: (json: JsonObject) => readonly string[] | undefined;
  };
  /** Why none of its pages lists its models. */
  readonly unlisted?: string;
  /** Its list also has models that it could load, and no page shows which are in memory. */
  readonly hidesLoaded?: true;
  /** Pages that may contain its requests in flight. */
  readonly counts: readonly CountPage[];
  /** It may unload its model when nothing is requested; those pages load it again, or keep it from being unloaded. */
  readonly sleeps?: {
    readonly path: string;
    /** undefined: this version does not sleep. */
    readonly isAsleep: (json: JsonObject) => boolean | undefined;
  };
  /** Why it does not report them. */
  readonly uncounted: string;
  /** Whose constants headroom uses for it. */
  readonly family: Engine;
  /** It runs a model on one machine only. */
  readonly isOneMachine?: true;
  /** Its prefix cache matches the template of every chat. */
  readonly cachesTemplates: boolean;
}

const has = (json: JsonObject, ...names: readonly string[]): boolean => names.every(name => name in json);

const objectsOf = (list: unknown): readonly JsonObject[] | undefined =>
  Array.isArray(list) ? list.filter(isJsonObject) : undefined;

/** The texts of one field. */
const textsOf = (list: readonly JsonObject[], field: string): readonly string[] =>
  list.map(one => one[field]).filter(text => typeof text === 'string');

const isLmStudioList = (data: unknown): boolean =>
  Array.isArray(data) &&
  data.length > 0 &&
  data.every(model => isJsonObject(model) && has(model, 'arch', 'state'));

const ollamaLoaded = (json: JsonObject): readonly string[] | undefined => {
  const models = objectsOf(json['models']);
  return models === undefined ? undefined : textsOf(models, 'name');
};

/**
 * From their own documentation, 2026-11: vllm serve --help and "Production Metrics"; SGLang "Server Arguments" and native_api;
 * llama.cpp tools/server/README.md; docs.ollama.com/api; lmstudio.ai/docs/developer/rest; exo docs/api.md; mlx_lm SERVER.md;
 * TGI "launcher" and its OpenAPI document; Triton "http_service" (kserve) and docs/protocol. The more specific signs first.
 */
export const SERVER_ENGINES: readonly ServerEngine[] = [
  {
    name: 'SGLang',
    ports: [30_000],
    owner: 'sglang',
    sign: { path: '/get_model_info', isOurs: json => has(json, 'model_path') },
    settingsPath: '/get_server_info',
    versionField: 'version',
    counts: ['/metrics'],
    uncounted: 'SGLang counts its requests only with --enable-metrics',
    family: 'sglang',
    cachesTemplates: true,
  },
  {
    name: 'llama.cpp',
    ports: [8_080],
    owner: 'llamacpp',
    header: 'llama.cpp',
    sign: { path: '/props', isOurs: json => has(json, 'default_generation_settings') },
    settingsPath: '/props',
    versionField: 'build_info',
    counts: ['/metrics', '/slots'],
    // --sleep-idle-seconds; "/slots" loads the model in every version with it, "/metrics" in those before 2026-08 (ggml-org/llama.cpp#27376).
    sleeps: {
      path: '/props',
      isAsleep: ({ is_sleeping: isAsleep }) => (typeof isAsleep === 'boolean' ? isAsleep : undefined),
    },
    uncounted: 'llama.cpp counts its requests only with --metrics or --slots',
    family: 'llama.cpp',
    cachesTemplates: true,
  },
  {
    name: 'LM Studio',
    ports: [1_234],
    sign: { path: '/api/v0/models', isOurs: json => isLmStudioList(json['data']) },
    settingsPath: '/api/v0/models',
    loaded: {
      path: '/api/v0/models',
      read: json => {
        const models = objectsOf(json['data']);
        return models === undefined
          ? undefined
          : textsOf(
              models.filter(({ state }) => state === 'loaded'),
              'id',
            );
      },
    },
    counts: [],
    uncounted: 'LM Studio does not report how many requests it has',
    family: 'llama.cpp',
    isOneMachine: true,
    cachesTemplates: true,
  },
  {
    name: 'TGI',
    ports: [3_000],
    sign: { path: '/info', isOurs: json => has(json, 'model_id', 'max_concurrent_requests') },
    settingsPath: '/info',
    versionField: 'version',
    counts: ['/metrics'],
    uncounted: 'its metrics do not contain the number of its requests',
    family: 'other',
    isOneMachine: true,
    cachesTemplates: true,
  },
  {
    name: 'exo',
    ports: [52_415],
    // Its list has every model that it could download.
    loaded: { path: '/ollama/api/ps', read: ollamaLoaded },
    sign: {
      path: '/ollama/api/version',
      isOurs: ({ version }) => typeof version === 'string' && version.startsWith('exo'),
    },
    settingsPath: '/ollama/api/version',
    versionField: 'version',
    counts: [],
    uncounted: 'exo does not report how many requests it has',
    family: 'mlx',
    cachesTemplates: false,
  },
  {
    name: 'Triton',
    ports: [8_000],
    sign: { path: '/v2', isOurs: ({ name, extensions }) => name === 'triton' && Array.isArray(extensions) },
    settingsPath: '/v2',
    versionField: 'version',
    unlisted: 'Triton lists its models only in reply to a POST',
    counts: [],
    uncounted: 'Triton reports its requests at another port',
    family: 'other',
    cachesTemplates: false,
  },
  {
    name: 'Ollama',
    ports: [11_434],
    owner: 'library',
    sign: { path: '/api/version', isOurs: json => has(json, 'version') },
    settingsPath: '/api/version',
    versionField: 'version',
    // Its list has every model on disk.
    loaded: { path: '/api/ps', read: ollamaLoaded },
    counts: [],
    uncounted: 'Ollama does not report how many requests it has',
    family: 'llama.cpp',
    isOneMachine: true,
    cachesTemplates: true,
  },
  {
    name: 'vLLM',
    ports: [8_000],
    owner: 'vllm',
    sign: { path: '/version', isOurs: json => has(json, 'version') && Object.keys(json).length === 1 },
    settingsPath: '/version',
    versionField: 'version',
    counts: ['/metrics'],
    uncounted: 'its metrics do not contain the number of its requests',
    family: 'vllm',
    cachesTemplates: true,
  },
  {
    name: 'MLX',
    ports: [8_080],
    // Of Python's http.server, which only mlx_lm.server among these is built on.
    header: 'basehttp/',
    // Every MLX model in the hub's cache, and the one of --model last; each is loaded when a request names it.
    hidesLoaded: true,
    counts: [],
    uncounted: 'MLX does not report how many requests it has',
    family: 'mlx',
    cachesTemplates: true,
  },
  {
    name: 'Plimsoll mock',
    ports: [],
    owner: 'plimsoll-mock',
    counts: ['/metrics'],
    uncounted: 'it was started without --metrics',
    family: 'other',
    cachesTemplates: false,
  },
];

export const serverEngine = (name: string): ServerEngine | undefined =>
  SERVER_ENGINES.find(engine => engine.name === name);

/** As a person types it: "vllm", "llama-cpp", "LM Studio". */
export const serverEngineCalled = (text: string): ServerEngine | undefined => {
  const typed = lettersOf(text);
  return SERVER_ENGINES.find(({ name }) => lettersOf(name) === typed);
};

/** In one word, as completion offers it: "lm-studio". */
export const engineWord = (name: string): string => name.toLowerCase().replaceAll(' ', '-');

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** By `owned_by` of a model; undefined: of none. */
export const engineOfOwner = (owner: string): string | undefined =>
  SERVER_ENGINES.find(engine => engine.owner === owner.toLowerCase())?.name;

/** Without duplicates, in the order of the engines. */
export const USUAL_PORTS: readonly number[] = [...new Set(SERVER_ENGINES.flatMap(({ ports }) => ports))];
