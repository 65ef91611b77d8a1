// What listens at an address: which engine, its version, the models in memory, its requests. Only GETs that change nothing,
// without credentials, each limited in time and bytes; redirects are not followed. A reply may be anything: what is not
// understood is unknown, with the reason.

import { type ServerEngine, serverEngine } from '../../core/engine/server-engines.ts';
import { isJsonObject, type JsonObject, parseAnyJson } from '../../core/json.ts';
import type { NodeEngine } from '../../core/node/engines.ts';
import { singleLine } from '../../core/text/single-line.ts';
import { isUnknown, type Reported, type Unknown, unknown } from '../../core/unknown.ts';
import type { ModelList } from './api/server-api.ts';
import { SERVER_APIS } from './api/server-apis.ts';
import { fetchText } from './fetch-text.ts';
import { readSlots, requestsInFlight } from './llama-slots.ts';
import { findServerKind } from './query-server.ts';
import { parseTargetUrl } from './target-url.ts';

interface EngineQuestion {
  /** "http://127.0.0.1:8000" */
  readonly origin: string;
  /** Whether a client is connected, so that an engine that sleeps when nothing is requested does not do so now. Default: unknown. */
  readonly isInUse?: boolean | undefined;
  readonly signal: AbortSignal;
}

export type FoundEngine =
  | {
      readonly kind: 'engine';
      readonly found: Pick<NodeEngine, 'engine' | 'version' | 'models' | 'requestsInFlight'>;
    }
  /** It replies, but not as a server of a model does. */
  | { readonly kind: 'other'; readonly reason: string; readonly isSilent: boolean }
  /** Nothing listens. */
  | { readonly kind: 'nothing' };

/** @throws the signal's reason, and nothing else. */
export const readEngine = async (question: EngineQuestion): Promise<FoundEngine> => {
  const listed = await getPage(question, MODELS_PATH);
  if (listed.kind === 'no-connection') return { kind: 'nothing' };
  const list = modelListOf(listed);
  // What hangs or floods is not asked for more.
  if (listed.kind === 'no-answer' && isUnknown(list))
    return { kind: 'other', reason: list.reason, isSilent: true };
  const kind =
    !isUnknown(list) && !isUnknown(list.serverKind)
      ? list.serverKind
      : await findServerKind(async path => await getPage(question, path));
  question.signal.throwIfAborted();
  if (isUnknown(kind) && isUnknown(list)) return { kind: 'other', reason: list.reason, isSilent: false };
  const engine = isUnknown(kind) ? undefined : serverEngine(kind);
  const [version, models, inFlight] = await Promise.all([
    versionOf(question, engine),
    modelsOf(question, engine, list),
    countRequests(question, kind),
  ]);
  question.signal.throwIfAborted();
  return { kind: 'engine', found: { engine: kind, version, models, requestsInFlight: inFlight } };
};

/** Running and waiting. @throws the signal's reason, and nothing else. */
export const countRequests = async (
  question: EngineQuestion,
  kind: NodeEngine['engine'],
): Promise<Reported<number>> => {
  const engine = isUnknown(kind) ? undefined : serverEngine(kind);
  const asleep = await sleepOf(question, engine);
  if (asleep !== 'awake') return asleep;
  for (const path of engine?.counts ?? COUNTS_OF_UNKNOWN) {
    const page = await getPage(question, path);
    if (page.kind !== 'answer' || page.status !== 200) continue;
    const counted = path === '/slots' ? readSlots(page.text)?.running : requestsInFlight(page.text);
    if (counted !== undefined) return Math.min(Math.round(counted), Number.MAX_SAFE_INTEGER);
  }
  return unknown(engine?.uncounted ?? 'the server does not report how many requests it has');
};

/** Why its requests cannot be counted without loading its model, or keeping it loaded; 0: it is asleep, or nobody is connected. */
const sleepOf = async (
  question: EngineQuestion,
  engine: ServerEngine | undefined,
): Promise<Reported<number> | 'awake'> => {
  if (engine?.sleeps === undefined) return 'awake';
  const page = await getPage(question, engine.sleeps.path);
  if (page.kind !== 'answer') return unknown(shortened(page.reason));
  const json = page.status === 200 ? parseAnyJson(page.text) : undefined;
  const isAsleep = isJsonObject(json) ? engine.sleeps.isAsleep(json) : undefined;
  if (isAsleep === undefined) return 'awake';
  if (isAsleep || question.isInUse === false) return 0;
  return question.isInUse === true
    ? 'awake'
    : unknown('not counted where the system does not show whether a client is connected: it could not sleep');
};

type Page = Awaited<ReturnType<typeof fetchText>>;

const getPage = async ({ origin, signal }: EngineQuestion, path: string): Promise<Page> => {
  const target = parseTargetUrl(origin);
  if (target.kind === 'wrong')
    return { kind: 'no-connection', reason: target.problem, advice: target.advice };
  const { server } = target.value;
  return await fetchText({
    server,
    path,
    headers: [],
    timeoutMs: PAGE_MS_MAX,
    bytesMax: PAGE_BYTES_MAX,
    signal,
  });
};

const modelListOf = (page: Page): ModelList | Unknown => {
  if (page.kind !== 'answer') return unknown(shortened(page.reason));
  if (page.status === 401 || page.status === 403)
    return unknown('it lists its models only to those with a key');
  if (page.status >= 300 && page.status < 400) return unknown('its list of models leads elsewhere');
  if (page.status !== 200) return unknown(`GET ${MODELS_PATH} returned status ${page.status}`);
  // As mlx_lm.server does on a machine without a cache of the hub.
  if (page.text === '') return unknown('its list of models has no content');
  const json = parseAnyJson(page.text);
  return json === undefined ? unknown('its list of models is not JSON') : API.models.read(json);
};

const objectAt = async (question: EngineQuestion, path: string): Promise<JsonObject | undefined> => {
  const page = await getPage(question, path);
  const json = page.kind === 'answer' && page.status === 200 ? parseAnyJson(page.text) : undefined;
  return isJsonObject(json) ? json : undefined;
};

const versionOf = async (
  question: EngineQuestion,
  engine: ServerEngine | undefined,
): Promise<Reported<string>> => {
  if (engine?.settingsPath === undefined || engine.versionField === undefined)
    return unknown('the server does not report it');
  const version = (await objectAt(question, engine.settingsPath))?.[engine.versionField];
  return typeof version === 'string' && singleLine(version) !== ''
    ? shortened(version)
    : unknown(`not on its page ${engine.settingsPath}`);
};

const modelsOf = async (
  question: EngineQuestion,
  engine: ServerEngine | undefined,
  list: ModelList | Unknown,
): Promise<NodeEngine['models']> => {
  if (engine?.loaded === undefined) {
    if (!isUnknown(list)) return namesOf(list.ids);
    return engine?.unlisted === undefined ? list : unknown(engine.unlisted);
  }
  const json = await objectAt(question, engine.loaded.path);
  const loaded = json === undefined ? undefined : engine.loaded.read(json);
  return loaded === undefined
    ? unknown(`which models are in memory is not on its page ${engine.loaded.path}`)
    : namesOf(loaded);
};

const namesOf = (names: readonly string[]): readonly { readonly name: string }[] =>
  [...new Set(names.map(shortened))]
    .filter(name => name !== '')
    .slice(0, MODELS_MAX)
    .map(name => ({ name }));

const shortened = (text: string): string => singleLine(text).slice(0, TEXT_LENGTH_MAX);

const [API] = SERVER_APIS;
const MODELS_PATH: string = `${API.root}${API.models.path}`;
const COUNTS_OF_UNKNOWN: ServerEngine['counts'] = ['/metrics'];
/** Limits in docs/limits.md. */
const PAGE_MS_MAX = 1_000;
const PAGE_BYTES_MAX: number = 1_024 * 1_024;
const MODELS_MAX = 32;
const TEXT_LENGTH_MAX = 300;
