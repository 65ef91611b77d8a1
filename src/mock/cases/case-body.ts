// Texts of the cases: events of chat completions and a whole one, three chunks of content and three tokens.

export const dataEvent = (data: string): string => `data: ${data}\n\n`;

export const dataEvents = (...data: readonly string[]): string => data.map(dataEvent).join('');

/** A chunk with one choice. */
export const chunkOf = (choice: object): string =>
  JSON.stringify({
    id: 'chatcmpl-mock',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, ...choice }],
  });

export const deltaOf = (delta: object): string => chunkOf({ delta });

export const contentOf = (content: string): string => deltaOf({ content });

export const finishOf = (reason: unknown): string => chunkOf({ delta: {}, finish_reason: reason });

export const usageOf = (usage: unknown): string => JSON.stringify({ choices: [], usage });

export const ROLE: string = deltaOf({ role: 'assistant', content: '' });
export const WORDS: readonly string[] = ['one ', 'two ', 'three'].map(contentOf);
export const FINISH: string = finishOf('stop');
export const USAGE: string = usageOf({ prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 });
export const DONE = '[DONE]';
/** What comes before the end. */
export const BEGINNING: string = dataEvents(ROLE, ...WORDS);
export const ENDING: string = dataEvents(FINISH, USAGE, DONE);
export const STREAM: string = BEGINNING + ENDING;

export const wholeOf = (message: object, more: object = {}): string =>
  JSON.stringify({
    id: 'chatcmpl-mock',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    ...more,
  });

export const WHOLE: string = wholeOf({ content: 'one two three' });
