// What a chunk or reply of the chat completions API says that matters here, read out of JSON of any shape. Servers differ in
// much: reasoning has two names, usage comes last, with the finish chunk or in every chunk, calls may be of the old kind.

export interface ChatFacts {
  /** Non-empty text of an answer, or a piece of a tool call. */
  hasAnswer: boolean;
  hasReasoning: boolean;
  /** Choices it speaks of, by index, with their finish reason or '' . */
  readonly choices: ChoiceFact[];
  inputTokens: number;
  outputTokens: number;
  /** What the server says went wrong; '' where nothing did. */
  error: string;
}

export interface ChoiceFact {
  readonly index: number;
  readonly finishReason: string;
}

export type JsonObject = { readonly [key: string]: unknown };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `part` is where a choice keeps its text: a stream's delta, a whole reply's message. */
export const readChatFacts = (json: JsonObject, part: 'delta' | 'message'): ChatFacts => {
  const facts: ChatFacts = {
    hasAnswer: false,
    hasReasoning: false,
    choices: [],
    inputTokens: UNTOLD,
    outputTokens: UNTOLD,
    error: errorOf(json),
  };
  const { choices, usage } = json;
  if (Array.isArray(choices)) {
    for (const choice of choices) if (isObject(choice)) readChoice(choice, part, facts);
  }
  if (isObject(usage)) {
    facts.inputTokens = tokens(usage['prompt_tokens']);
    facts.outputTokens = tokens(usage['completion_tokens']);
  }
  return facts;
};

/** `error` may be null, a text or an object with a message; vLLM also sends `object: "error"` with the message beside it. */
const errorOf = (json: JsonObject): string => {
  const { error } = json;
  if (isObject(error)) {
    const { message, code } = error;
    return text(message) || text(code) || JSON.stringify(error).slice(0, 300);
  }
  if (typeof error === 'string' && error !== '') return error;
  if (json['object'] === 'error') return text(json['message']) || 'an error without a message';
  return '';
};

const readChoice = (choice: JsonObject, part: 'delta' | 'message', facts: ChatFacts): void => {
  const { index, finish_reason: finishReason } = choice;
  facts.choices.push({
    index: typeof index === 'number' ? index : 0,
    finishReason: typeof finishReason === 'string' ? finishReason : '',
  });
  if (text(choice['text']) !== '') facts.hasAnswer = true;
  const piece = choice[part];
  if (!isObject(piece)) return;
  if (text(piece['reasoning_content']) !== '' || text(piece['reasoning']) !== '') facts.hasReasoning = true;
  if (hasText(piece['content']) || text(piece['refusal']) !== '') facts.hasAnswer = true;
  const calls = piece['tool_calls'];
  if ((Array.isArray(calls) && calls.some(hasCallPiece)) || hasFunctionPiece(piece['function_call'])) {
    facts.hasAnswer = true;
  }
};

/** A text, or a list of parts with a text each. */
const hasText = (content: unknown): boolean =>
  Array.isArray(content)
    ? content.some(item => isObject(item) && text(item['text']) !== '')
    : text(content) !== '';

const hasCallPiece = (call: unknown): boolean => isObject(call) && hasFunctionPiece(call['function']);

const hasFunctionPiece = (piece: unknown): boolean =>
  isObject(piece) && (text(piece['name']) !== '' || text(piece['arguments']) !== '');

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const tokens = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : UNTOLD;

export const UNTOLD = -1;
