// What words cost in tokens of one server. A server counts a prompt with its own tokenizer and its own template
// around it, so N tokens can only be requested after it has reported the counts of a few known texts. Words are in
// bundles whose sum is known: their order in a prompt does not change it, because tokenizers split at spaces.

import { pushAll } from '../../core/push-all.ts';
import type { SeededRandom } from '../../core/random.ts';

export interface WordCosts {
  /** Tokens of a prompt that contains TASK alone, with template and nonce. */
  readonly taskTokens: number;
  /** Tokens of a prompt that contains SHORT_TASK alone. */
  readonly shortTokens: number;
  /**
   * Tokens that a system message with the start of a prefix alone adds; below 0 if a template inserts its own when
   * there is none.
   */
  readonly prefixTokens: number;
  readonly bundles: readonly WordBundle[];
  /** Words that fill the remainder that fits no bundle, the one of most tokens first. */
  readonly fillers: readonly WordFiller[];
}

interface WordFiller {
  readonly word: string;
  /** May be a fraction, if a tokenizer merges some of them. */
  readonly tokens: number;
}

export interface WordBundle {
  readonly words: readonly string[];
  readonly tokens: number;
}

/** Words of about that many tokens, each after a space, to within half a filler. */
export const wordText = (
  tokens: number,
  { bundles, fillers }: Pick<WordCosts, 'bundles' | 'fillers'>,
  random: SeededRandom,
): string => {
  let left = tokens;
  const words: string[] = [];
  for (;;) {
    const fitting = bundles.filter(bundle => bundle.tokens <= left && bundle.tokens > 0);
    const bundle = fitting[random.below(fitting.length)];
    if (bundle === undefined) break;
    pushAll(words, bundle.words);
    left -= bundle.tokens;
  }
  shuffle(words, random);
  for (const [index, filler] of fillers.entries()) {
    if (filler.tokens <= 0) continue;
    const exact = left / filler.tokens;
    // The last one goes to the nearest count, the others leave a rest for it.
    const count = Math.max(0, index === fillers.length - 1 ? Math.round(exact) : Math.floor(exact));
    for (let added = 0; added < count; added += 1) words.push(filler.word);
    left -= count * filler.tokens;
  }
  return words.map(word => ` ${word}`).join('');
};

/** Fisher and Yates, in place. */
const shuffle = (words: string[], random: SeededRandom): void => {
  for (let last = words.length - 1; last > 0; last -= 1) {
    const other = random.below(last + 1);
    const word = words[last] ?? '';
    words[last] = words[other] ?? '';
    words[other] = word;
  }
};

export const TASK = 'Write a short story that uses all of these words:';
/** For prompts that have no room for the task. */
export const SHORT_TASK = 'Go';
/** Start of the n-th prefix: short ones differ, too. */
export const prefixStart = (index: number): string => `Context ${String(index).padStart(3, '0')}:`;
export const FILLER_WORDS: readonly string[] = ['and', 'a'];
const BUNDLE_WORDS = 24;

export const WORD_LIST: readonly string[] =
  `anchor apple arrow autumn bakery balcony basket beacon bell bicycle bird blanket boat bottle branch bread bridge bright
broom bucket button cabin candle canvas captain carpet castle cedar chair chalk cherry chimney circle cliff clock cloud
coast coffee compass copper corner cotton cradle crane creek crystal curtain dance dawn desert diamond door dragon dream
drum eagle earth echo ember engine evening falcon feather fence field finger flame flower forest fountain garden gate
ghost glass glove gold grain granite grape guitar hammer harbor harvest hill honey horizon horse house island ivory
jacket jungle kettle key kitchen ladder lake lamp lantern leaf lemon letter library light lion lizard marble market
meadow mirror moon morning mountain needle nest night north ocean orange orchard oven owl paint palace paper path pearl
pencil pepper piano pillow pine planet pocket pond quiet rabbit rain raven ribbon river road rocket roof rope saddle
sail salt sand scarf shadow shell ship silver smoke snow song spark spoon spring star stone storm street summer sunset
table teapot temple thread thunder tiger tower train travel tree tunnel valley velvet village violin wagon walnut water
wave wheel whisper willow window winter wolf wonder yellow`.split(/\s+/);

/** The words in bundles of one size; the last one has the remainder. */
export const WORD_BUNDLES: readonly (readonly string[])[] = Array.from(
  { length: Math.ceil(WORD_LIST.length / BUNDLE_WORDS) },
  (_, index) => WORD_LIST.slice(index * BUNDLE_WORDS, (index + 1) * BUNDLE_WORDS),
);

/** Without a server: one token for each word, and none for a template. */
export const WORDS_AS_TOKENS: WordCosts = {
  taskTokens: TASK.split(' ').length,
  shortTokens: 1,
  prefixTokens: prefixStart(0).split(' ').length,
  bundles: WORD_BUNDLES.map(words => ({ words, tokens: words.length })),
  fillers: [{ word: 'and', tokens: 1 }],
};
