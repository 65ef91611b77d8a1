// Rankings of documents by a query, as Jina and Cohere define them and vLLM (vllm/entrypoints/pooling/scoring/protocol.py), llama.cpp
// (`--reranking`) and SGLang serve them: the message of a prompt is the query. There is no stream, no output
// token and no finish reason. Text Embeddings Inference (router/src/http/types.rs) has a form of its own.

import { type Parsed, parsed, wrong } from '../../../core/figure/parse-figure.ts';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import { NO_FIGURE } from '../../../core/run/event-record.ts';
import type { Prompt } from '../../dataset/prompt.ts';
import { merged } from '../request-fields.ts';
import { JsonReply, tokenCount } from './json-reply.ts';
import { between, markedPrompt } from './marked-messages.ts';
import { OPENAI } from './openai-api.ts';
import {
  type BodySettings,
  type BodyText,
  CARRIES_ANSWER,
  CARRIES_NOTHING,
  type ServerApi,
} from './server-api.ts';

export const rerankApi: ServerApi = {
  ...OPENAI,
  name: 'rerank',
  endpoint: '/rerank',
  canStream: false,
  writesAnswers: false,
  lengthFields: [],
  withoutEnd: 'the reply ended without its list of results',
  ranksDocuments: true,
  body: (prompt, settings) => bodyOf(prompt, settings, 'documents'),
  newReply: () => new RerankReply(),
};

/** Text Embeddings Inference reads no model and lists none; the reply is a list alone. llama.cpp serves this form if there are `texts`. */
export const teiRerankApi: ServerApi = {
  ...rerankApi,
  name: 'tei-rerank',
  root: '',
  models: { ...OPENAI.models, path: '/v1/models' },
  body: (prompt, settings) => bodyOf(prompt, settings, 'texts'),
};

const bodyOf = (
  prompt: Prompt,
  { model, nonce, fields: { added } }: BodySettings,
  documents: 'documents' | 'texts',
): Parsed<BodyText> => {
  const query = markedPrompt(prompt, nonce, { name: 'rerank' });
  if (query.kind === 'wrong') return query;
  if (prompt.documents === undefined) {
    return wrong(
      'it has no documents, which a ranking is made of',
      'Use lines such as {"query": "red fruit", "documents": ["an apple", "a leek"]}.',
    );
  }
  const more = Object.keys(added).length === 0 ? '}' : `,${JSON.stringify(merged({}, added)).slice(1)}`;
  return parsed(
    between(
      `{"model":${JSON.stringify(model)},"query":`,
      query.value,
      `,"${documents}":${JSON.stringify(prompt.documents)}${more}`,
    ),
  );
};

class RerankReply extends JsonReply {
  /** Every reply is whole, and finished when it is read. */
  override get hasFinished(): boolean {
    return this.isDone;
  }

  /** SGLang and Text Embeddings Inference send the list alone. */
  override document(text: string): number {
    return super.document(text.trimStart().startsWith('[') ? `{"results":${text}}` : text);
  }

  protected read({ data, results = data, usage, meta }: JsonObject): number {
    // Jina and Voyage count only a total, which is the prompt's; Cohere has it in its metadata.
    if (isJsonObject(usage)) this.inputTokens = tokenCount(usage['prompt_tokens'] ?? usage['total_tokens']);
    const tokens = isJsonObject(meta) ? meta['tokens'] : undefined;
    if (this.inputTokens === NO_FIGURE && isJsonObject(tokens))
      this.inputTokens = tokenCount(tokens['input_tokens']);
    if (!Array.isArray(results) || results.length === 0 || !results.every(hasScore)) return CARRIES_NOTHING;
    this.rankedDocuments = results.length;
    // A list has no finish reason, and is whole.
    this.finishReason = 'other';
    return CARRIES_ANSWER;
  }
}

/** SGLang and Text Embeddings Inference name it "score". */
const hasScore = (entry: unknown): boolean =>
  isJsonObject(entry) &&
  typeof entry['index'] === 'number' &&
  typeof (entry['relevance_score'] ?? entry['score']) === 'number';
