// The fields of a completion request that change the reply, read leniently as servers do, and refused where a server
// would refuse.

import { isJsonObject, parseAnyJson } from '../core/json.ts';
import type { MockApi } from './api/mock-api.ts';
import type { MockSettings } from './mock-settings.ts';
import { countTokens } from './tokenizers.ts';

export interface CompletionRequest {
  /** undefined: the server's first. */
  readonly model: string | undefined;
  readonly isStreaming: boolean;
  readonly includesUsage: boolean;
  readonly tokensMax: number | undefined;
  /** No answer ends by itself before this. */
  readonly tokensMin: number;
  /** The answer continues to its limit. */
  readonly ignoresEnd: boolean;
  /** As the mock's tokenizer counts them. */
  readonly promptTokens: number;
  /** All texts in it: with the seed, they determine the reply. */
  readonly promptText: string;
  /** Texts that are embedded or ranked. */
  readonly inputs: number;
  /** Its answer is stored for a later request. */
  readonly isKept: boolean;
  /** Messages in `promptText`. */
  readonly messages: number;
  readonly isStamped: boolean;
}

type CompletionRequestResult =
  | { readonly kind: 'ok'; readonly request: CompletionRequest }
  | { readonly kind: 'wrong'; readonly problem: string }
  /** It continues an answer that the server does not have. */
  | { readonly kind: 'forgotten'; readonly id: string };

export const readCompletionRequest = (
  body: Buffer,
  api: MockApi,
  { tokenizer, templateTokens }: Pick<MockSettings, 'tokenizer' | 'templateTokens'>,
  kept: Pick<KeptConversations, 'of'>,
): CompletionRequestResult => {
  const given = parseAnyJson(body.toString('utf8'));
  if (given === undefined) return wrong('the body is not JSON');
  if (!isJsonObject(given)) return wrong('the body is not an object');
  const added = api.promptText(given);
  if (added === undefined) return wrong(api.noPrompt);
  const previousId = api.previousId?.(given);
  const earlier = previousId === undefined ? NO_CONTENT : kept.of(previousId);
  if (previousId !== undefined && earlier === undefined) return { kind: 'forgotten', id: previousId };
  const promptText = `${earlier?.text ?? ''}${added}`;
  const messages = (earlier?.messages ?? 0) + api.messageCount(given);
  const value = api.plain?.(given) ?? given;
  const { model, stream } = value;
  if (model !== undefined && typeof model !== 'string') return wrong('model must be text');
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean')
    return wrong('stream must be true or false');
  const tokensMax = value['max_completion_tokens'] ?? value['max_tokens'] ?? undefined;
  if (tokensMax !== undefined && !isTokenLimit(tokensMax))
    return wrong('max_tokens must be a whole number of at least 1');
  const { min_tokens: tokensMin = 0, ignore_eos: ignoresEnd = false } = value;
  if (tokensMin !== 0 && (!isTokenLimit(tokensMin) || (tokensMax !== undefined && tokensMin > tokensMax)))
    return wrong('min_tokens must be a whole number of at most max_tokens');
  if (typeof ignoresEnd !== 'boolean') return wrong('ignore_eos must be true or false');
  const streamOptions = value['stream_options'];
  const own = value['plimsoll'];
  return {
    kind: 'ok',
    request: {
      model,
      isStreaming: stream === true,
      includesUsage: isJsonObject(streamOptions) && streamOptions['include_usage'] === true,
      tokensMax,
      tokensMin,
      ignoresEnd,
      promptTokens: countTokens(promptText, tokenizer) + templateTokens * messages,
      promptText,
      inputs: api.inputCount?.(given) ?? 1,
      isKept: api.isKept?.(given) ?? false,
      messages,
      isStamped: isJsonObject(own) && own['stamp'] === true,
    },
  };
};

const NO_CONTENT = { text: '', messages: 0 };

const wrong = (problem: string): CompletionRequestResult => ({ kind: 'wrong', problem });

const isTokenLimit = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;

// Conversations that a server stores and clients continue by the id of an answer, as OpenAI's responses do with
// `store`: the newest ones, each with its whole text so far.
interface KeptConversation {
  /** All texts, the answer included. */
  readonly text: string;
  readonly messages: number;
}

export class KeptConversations {
  readonly #kept: Map<string, KeptConversation> = new Map();
  #characters = 0;

  of(id: string): KeptConversation | undefined {
    return this.#kept.get(id);
  }

  keep(id: string, conversation: KeptConversation): void {
    this.#kept.set(id, conversation);
    this.#characters += conversation.text.length;
    for (const [oldest, { text }] of this.#kept) {
      if (this.#characters <= KEPT_CHARACTERS_MAX) return;
      this.#kept.delete(oldest);
      this.#characters -= text.length;
    }
  }
}

const KEPT_CHARACTERS_MAX = 67_108_864;
