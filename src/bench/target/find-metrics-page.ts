// Where a server behind a gateway publishes its metrics: below the gateway's path, or at the root of the host if the
// root is proven to be the same server. Proof means: the same models, and counters that increase by exactly what one
// request through the gateway used. Anything less could be another server's figures, so it stays unknown with its
// reason.

import { parseAnyJson } from '../../core/json.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import type { ServerFigures } from '../../core/run/server-reading.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import type { ServerApi } from './api/server-api.ts';
import { fetchText, type TextAnswer } from './fetch-text.ts';
import type { HeaderField } from './load-target.ts';
import { type OneReply, oneRequest } from './one-request.ts';
import { readServerFigures } from './server-metrics.ts';
import { pagePath, serverBase } from './server-pages.ts';
import { type BenchTarget, modelsPath } from './target-url.ts';

interface MetricsQuestion {
  readonly api: ServerApi;
  readonly target: BenchTarget;
  readonly headers: readonly HeaderField[];
  readonly model: string;
  /** Ids of the models listed below the gateway's path. */
  readonly ids: readonly string[];
  /** Whether a request may be sent before the run. */
  readonly maySend: boolean;
  readonly signal: AbortSignal;
}

/** The path of the page. @throws the signal's reason, and nothing else. */
export const findMetricsPage = async (question: MetricsQuestion): Promise<Reported<string>> => {
  const { target, api } = question;
  const below = pagePath(target, METRICS, api);
  const base = serverBase(target, api);
  if (base === '') return below;
  const answer = await request(question, below);
  if (figuresOf(answer) !== undefined) return below;
  const root = `${METRICS}${target.query}`;
  const reason = await reasonAgainst(question, root);
  const problem = answer.kind === 'answer' ? '' : ` (${answer.reason})`;
  const where = `no metrics at ${base}${METRICS}${problem}`;
  return reason === undefined
    ? root
    : unknown(`${where}, and the root of the host may be another server: ${reason}`);
};

/** Another page of the server with those metrics: once proven to be the same server, it is so for all its pages. */
export const pageNextTo = (metricsPath: string, page: string): string =>
  metricsPath.replace(/\/metrics(?=$|\?)/, page);

/** Why the server at the root cannot be assumed to be the one behind the gateway; undefined: it is the same. */
const reasonAgainst = async (question: MetricsQuestion, root: string): Promise<string | undefined> => {
  const { api, target, ids, maySend } = question;
  const list = await request(question, modelsPath({ ...target, path: '' }, api));
  const listed = list.kind === 'answer' && list.status === 200 ? parseAnyJson(list.text) : undefined;
  const models = listed === undefined ? undefined : api.models.read(listed);
  if (models === undefined || isUnknown(models)) return 'it lists no models';
  if (!isSameSet(models.ids, ids)) return 'it lists other models';
  const before = figuresOf(await request(question, root));
  if (before === undefined) return 'it publishes no metrics, either';
  if (!maySend) return 'no request may be sent to find out';
  const used = await oneRequest(question);
  if (used === undefined || used.promptTokens <= 0 || used.generatedTokens <= 0)
    return 'the usage of a request through the gateway is not reported';
  return await reasonAfter(question, { root, before, used });
};

const reasonAfter = async (
  question: MetricsQuestion,
  { root, before, used }: { readonly root: string; readonly before: ServerFigures; readonly used: OneReply },
): Promise<string | undefined> => {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const after = figuresOf(await request(question, root));
    if (after === undefined) return 'it publishes no metrics any more';
    const prompt = rise(before, after, 'promptTokens');
    const generated = rise(before, after, 'generatedTokens');
    if (prompt === used.promptTokens && generated === used.generatedTokens) return undefined;
    if (prompt === undefined || generated === undefined) return 'its metrics count no tokens';
    if (prompt > used.promptTokens || generated > used.generatedTokens)
      return 'it counts requests that are not of this run';
  }
  return 'a request through the gateway did not move its counters';
};

const rise = (
  before: ServerFigures,
  after: ServerFigures,
  key: 'promptTokens' | 'generatedTokens',
): number | undefined =>
  before[key] === NO_FIGURE || after[key] === NO_FIGURE ? undefined : after[key] - before[key];

const request = async (
  { target: { server }, headers, signal }: MetricsQuestion,
  path: string,
): Promise<TextAnswer> => await fetchText({ server, path, headers, timeoutMs: PAGE_MS_MAX, signal });

const figuresOf = (answer: TextAnswer): ServerFigures | undefined =>
  answer.kind === 'answer' && answer.status === 200 ? readServerFigures(answer.text) : undefined;

const isSameSet = (some: readonly string[], others: readonly string[]): boolean =>
  some.length > 0 &&
  new Set([...some, ...others]).size === new Set(some).size &&
  some.length === others.length;

const METRICS = '/metrics';
const PAGE_MS_MAX = 2_000;
/** Each is a request of its own: a server that counts later than that is not proven to be the same. */
const TRIES_MAX = 20;
