// What to do about requests that failed, by the server's message. One table, from the most specific cause to
// the broadest; the first row that matches is used. Messages are those of vLLM, SGLang, llama.cpp, Ollama,
// TGI, OpenAI, Anthropic, LiteLLM and of the frameworks under them, as listed in
// test/core/run/failure-advice.test.ts.

import { shellCommand } from '../text/shell-words.ts';
import { isUnknown, type Unknown } from '../unknown.ts';
import { connectionAdvice, HTTP2_ADVICE } from './connection-problems.ts';
import { isOverload } from './ended-sample.ts';
import type { FailureGroup } from './failure-groups.ts';
import type { VariantFigures } from './model-mix.ts';
import type { FailureKind, SampleCounts } from './outcome.ts';

/** Properties of the run. */
export interface AdviceContext {
  /** Without credentials. */
  readonly target: string;
  readonly api: string | Unknown;
  readonly model: string | Unknown;
  /** Other requests of the run were answered, so the address is correct. */
  readonly wasReached?: boolean;
  /** If there are several URLs, those that answered nothing. */
  readonly silentUrls?: readonly string[];
  /** Models that the server listed before the run; missing if it listed none. */
  readonly offeredModels?: readonly string[];
}

/** One or two sentences; '' if nothing is known to help. */
export const failureAdvice = (
  { kind, statusCode, example }: Pick<FailureGroup, 'kind' | 'statusCode' | 'example'>,
  context: AdviceContext,
): string => {
  for (const { kinds, statuses, states, advice } of ROWS) {
    if (kinds !== undefined && !kinds.includes(kind)) continue;
    // The client failed after the head arrived: the status does not explain that.
    if (statuses !== undefined && (kind === 'client' || !statuses.includes(statusCode))) continue;
    const found = states?.exec(example);
    if (found === null) continue;
    return typeof advice === 'string' ? advice : advice(context, found ?? NOTHING_FOUND, example);
  }
  return '';
};

interface AdviceRow {
  readonly kinds?: readonly FailureKind[];
  readonly statuses?: readonly number[];
  readonly states?: RegExp;
  readonly advice: string | ((context: AdviceContext, found: readonly string[], example: string) => string);
}

/** From a report. */
export const adviceContext = ({
  run,
  counts,
  variants = [],
}: {
  readonly run: AdviceContext & { readonly urls?: readonly { readonly url: string }[] };
  readonly counts: SampleCounts;
  readonly variants?: readonly Pick<VariantFigures, 'variant' | 'completed' | 'failed'>[];
}): AdviceContext => ({
  ...run,
  wasReached: counts.completed > 0,
  silentUrls: (run.urls ?? []).flatMap(({ url }, index) =>
    variants.some(({ variant, completed, failed }) => variant === index && completed === 0 && failed > 0)
      ? [url]
      : [],
  ),
});

const offeredText = ({ offeredModels = [], target, model }: AdviceContext): string => {
  const others = offeredModels.filter(name => name !== model);
  const [first] = others;
  if (first === undefined)
    return `Check the name: --model M. The server lists its models at ${target.replace(/\/+$/, '')}/v1/models.`;
  const shown = others.slice(0, MODELS_SHOWN_MAX).join(', ');
  const more = others.length > MODELS_SHOWN_MAX ? ` and ${others.length - MODELS_SHOWN_MAX} more` : '';
  return `The server has ${shown}${more}. Use: ${shellCommand`--model ${first}`}`;
};

const otherApi = ({ api }: AdviceContext): string =>
  `Check the URL: it is the server, its /v1, or the endpoint. If the server has another API, name it: ${shellCommand`--api ${!isUnknown(api) && api === 'chat' ? 'completions' : 'chat'}`}; --help lists them.`;

const withoutField = (field: string): string =>
  `This server does not accept the field ${field}. Leave it out: ${shellCommand`--body ${JSON.stringify({ [field]: null })}`}`;

const OVERLOAD_ADVICE = 'The server limits its load: lower --rate or --concurrency, or raise its limit.';

/** Whether a server refused a request as longer than its context, by its own reply. */
export const isContextRefusal = (reply: string): boolean => CONTEXT_REFUSAL.test(reply);

const CONTEXT_REFUSAL: RegExp =
  /context (?:length|size|window)|max_model_len|n_ctx|maximum (?:sequence|input|context)|(?:input|prompt) (?:is )?too long|longer than the (?:maximum|model)|exceeds? the (?:available )?(?:context|limit|maximum)|max_seq_len|inputs`? tokens \+ `?max_new_tokens/i;

const ROWS: readonly AdviceRow[] = [
  {
    kinds: ['connect'],
    states: /\((?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT)\)$/,
    advice: ({ wasReached = false, silentUrls = [] }, _, example) =>
      wasReached && silentUrls.length > 0
        ? `${silentUrls.join(' and ')} answered none of its requests. ${connectionAdvice(example) ?? ''}`.trimEnd()
        : wasReached
          ? 'The server answered other requests of this run: its own log says why it stopped.'
          : (connectionAdvice(example) ?? ''),
  },
  { kinds: ['client'], states: /\([A-Z_]+\)$/, advice: (_, __, example) => connectionAdvice(example) ?? '' },
  {
    kinds: ['connect', 'tls', 'reset'],
    states: /\([A-Z_]+\)$/,
    advice: (_, __, example) => connectionAdvice(example) ?? '',
  },
  {
    states: /stream_options/,
    advice: `${withoutField('stream_options')}. Without it some servers report no token counts: then add --tokenizer DIR.`,
  },
  {
    states:
      /max_completion_tokens.*instead|instead.*max_completion_tokens|max_tokens.*(?:not supported|unsupported)/i,
    advice: `This model expects the limit in another field: --body '{"max_tokens":null,"max_completion_tokens":256}'`,
  },
  {
    states: CONTEXT_REFUSAL,
    advice:
      'Ask for less with --input-tokens and --output-tokens, or give the server more room: --max-model-len (vLLM), --context-length (SGLang), -c (llama-server), num_ctx (Ollama).',
  },
  {
    states:
      /out of memory|outofmemory|\bOOM\b|failed to allocate|cudaMalloc|not enough memory|insufficient memory|requires more system memory/i,
    advice:
      'The server ran out of memory. Send fewer requests at a time (--concurrency) or shorter ones (--input-tokens), or give it less to store: --max-num-seqs, --max-model-len, a smaller model.',
  },
  {
    statuses: [400, 404, 422, 500],
    states:
      /model.{0,80}(?:not found|does not exist|doesn't exist|not exist|not available|unknown|not supported|is not a valid)|(?:invalid|unknown|no such|unsupported) model|model_not_found|no available (?:model|server)/i,
    advice: offeredText,
  },
  {
    states: /chat template|does not support chat|chat_template/i,
    advice: 'The model has no chat template. Use plain completions: --api completions',
  },
  {
    states: /missing field `texts`/,
    advice:
      'This is Text Embeddings Inference, whose rankings have a form of their own: use --api tei-rerank.',
  },
  {
    states: /support (?:the )?re-?rank|not a re-?ranker/i,
    advice:
      'The server has no model that ranks documents: start it with one, and llama-server with --reranking.',
  },
  {
    states: /(?:extra inputs are not permitted|extra fields not permitted)/i,
    advice: (_, __, example) => {
      const [, field = ''] = /(?:^|; |\bbody\.)([a-z_]{2,40}): Extra/i.exec(example) ?? [];
      return field === '' ? '' : `${withoutField(field)}.`;
    },
  },
  {
    statuses: [400, 422],
    states:
      /(?:unrecognized|unknown|unsupported|unexpected|invalid)\b.{0,60}?\b(?:argument|parameter|field|property|key|keyword)s?\b[^:'"`]{0,30}(?::\s*['"`]?|['"`])([a-z_]{3,40})\b/i,
    advice: (_, [, field = '']) => (OWN_FIELDS.has(field) ? '' : `${withoutField(field)}.`),
  },
  {
    statuses: [401],
    advice: 'Provide a key that the server accepts: --api-key-file FILE, or set OPENAI_API_KEY.',
  },
  {
    statuses: [403],
    advice:
      'The server knows the request and refuses it: check what the key may do (--api-key-file FILE), and that the URL is the API itself.',
  },
  { statuses: [404, 405, 501], advice: otherApi },
  { statuses: [301, 302, 303, 307, 308], advice: 'Use the URL that it redirects to.' },
  {
    statuses: [413],
    advice:
      'The request is larger than the server accepts: shorter prompts (--input-tokens), or raise its limit (nginx: client_max_body_size).',
  },
  {
    statuses: [429, 529],
    advice: OVERLOAD_ADVICE,
  },
  {
    statuses: [502, 504],
    advice:
      'A proxy answered, and the server behind it did not: check that the server runs, and read its log.',
  },
  {
    statuses: [503],
    advice: (_, __, example) =>
      isOverload({ statusCode: 503, detail: example })
        ? OVERLOAD_ADVICE
        : 'The server is starting, stopped or full: wait until it is ready, or lower --rate or --concurrency.',
  },
  { statuses: [500], advice: 'The server failed: its own log says why.' },
  {
    statuses: [400, 422],
    advice:
      'The server rejects these requests as they are: change fields with --body, or name its API with --api.',
  },
  {
    kinds: ['timeout'],
    states: /^(first-byte|idle|connect)/,
    advice: (_, [phase = '']) => `Lower the load, or wait longer: --timeout-${phase} 5m.`,
  },
  { kinds: ['timeout'], advice: 'Lower the load, or wait longer: --timeout 10m.' },
  {
    kinds: ['malformed'],
    states: /not streamed|not an event stream/,
    advice: 'Check the URL. If the server cannot stream, use --streaming off.',
  },
  { kinds: ['malformed'], states: /^the reply is HTTP\/2/, advice: HTTP2_ADVICE },
  {
    kinds: ['error-frame'],
    statuses: [200],
    advice: 'The server accepted the request and failed while it replied: its own log says why.',
  },
  {
    kinds: ['connect', 'reset', 'truncated'],
    advice: 'The server closed the connection: its own log says why.',
  },
];

/** Fields that the run writes itself: they cannot be left out. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  '',
  'model',
  'messages',
  'prompt',
  'input',
  'stream',
  'max_tokens',
]);
const NOTHING_FOUND: readonly string[] = [];
const MODELS_SHOWN_MAX = 5;
/** Limit of the list that a run stores. */
export const OFFERED_MODELS_MAX = 20;
