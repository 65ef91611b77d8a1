// What a completion request asks of the mock: the few fields that change the reply, read leniently as servers do, and
// refused where a server would refuse.

export interface ChatRequest {
  readonly api: 'chat' | 'text';
  /** undefined: the server's first. */
  readonly model: string | undefined;
  readonly isStreaming: boolean;
  readonly includesUsage: boolean;
  readonly tokensMax: number | undefined;
  /** Words of all texts in it. */
  readonly promptTokens: number;
  /** All texts in it: what the reply is a function of, besides the seed. */
  readonly promptText: string;
  readonly isStamped: boolean;
}

export type ChatRequestResult =
  | { readonly kind: 'ok'; readonly request: ChatRequest }
  | { readonly kind: 'wrong'; readonly problem: string };

export const readChatRequest = (body: Buffer, api: ChatRequest['api']): ChatRequestResult => {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    return wrong('the body is not JSON');
  }
  if (!isRecord(value)) return wrong('the body is not an object');
  const promptText = api === 'chat' ? textOfMessages(value['messages']) : textOfPrompt(value['prompt']);
  if (promptText === undefined)
    return wrong(api === 'chat' ? 'messages must be a list of messages' : 'prompt must be a text');
  const { model, stream } = value;
  if (model !== undefined && typeof model !== 'string') return wrong('model must be a text');
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean')
    return wrong('stream must be true or false');
  const tokensMax = value['max_completion_tokens'] ?? value['max_tokens'] ?? undefined;
  if (tokensMax !== undefined && !isTokenCount(tokensMax))
    return wrong('max_tokens must be a whole number of at least 1');
  const streamOptions = value['stream_options'];
  const own = value['plimsoll'];
  return {
    kind: 'ok',
    request: {
      api,
      model,
      isStreaming: stream === true,
      includesUsage: isRecord(streamOptions) && streamOptions['include_usage'] === true,
      tokensMax,
      promptTokens: countWords(promptText),
      promptText,
      isStamped: isRecord(own) && own['stamp'] === true,
    },
  };
};

const wrong = (problem: string): ChatRequestResult => ({ kind: 'wrong', problem });

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTokenCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;

/** Content is a text or a list of parts, of which the texts count. */
const textOfMessages = (messages: unknown): string | undefined => {
  if (!Array.isArray(messages) || messages.length === 0) return undefined;
  let text = '';
  for (const message of messages) {
    if (!isRecord(message)) return undefined;
    text += `${textOfContent(message['content'])}\n`;
  }
  return text;
};

const textOfContent = (content: unknown): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map(part => (isRecord(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join(' ');
};

const textOfPrompt = (prompt: unknown): string | undefined => {
  if (typeof prompt === 'string') return prompt;
  return Array.isArray(prompt) && prompt.every(part => typeof part === 'string')
    ? prompt.join('\n')
    : undefined;
};

/** Runs of anything but ASCII white space. */
const countWords = (text: string): number => {
  let words = 0;
  let isInside = false;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    const isSpace = unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
    if (!isSpace && !isInside) words += 1;
    isInside = !isSpace;
  }
  return words;
};
