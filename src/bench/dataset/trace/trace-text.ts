// The words of a trace's prompts. The text of a block follows from the seed, the number of its chain and its size
// alone, so that equal prefixes are equal bytes in every request, process and run. The part outside full blocks is
// the request's own, and begins with words that no other request has there.

import { type SeededRandom, seededRandom } from '../../../core/random.ts';
import { SHORT_TASK, WORD_LIST, type WordCosts, wordText } from '../word-costs.ts';
import { chained, chainStart, type TraceRequest } from './trace.ts';

export class TraceTexts {
  readonly #costs: WordCosts;
  readonly #start: number;
  /** Average of a word of the list. */
  readonly #wordTokens: number;
  readonly #known: Map<number, string> = new Map();

  #knownLength = 0;

  constructor(costs: WordCosts, seed: number) {
    this.#costs = costs;
    const tokens = costs.bundles.reduce((sum, bundle) => sum + bundle.tokens, 0);
    this.#wordTokens = Math.max(0.1, tokens / WORD_LIST.length);
    this.#start = chained(chainStart('text'), seed % 2 ** 53);
  }

  /**
   * The parts of its prompt, those first that others may share. Together they cost as many tokens as the request had,
   * template and nonce included: these are subtracted from the first block, which is the first one of every prompt
   * that has it.
   */
  partsOf(request: TraceRequest, own: number): readonly string[] {
    const { blocks, blockTokens, inputTokens, blockSizes } = request;
    const around = this.#costs.shortTokens;
    if (blockSizes !== undefined && blocks.length > 0) return this.#sized(request, blockSizes, own);
    const parts = blocks.map((block, index) =>
      this.#block(block, index === 0 ? blockTokens - around : blockTokens, index === 0),
    );
    const left = inputTokens - blocks.length * blockTokens - (blocks.length === 0 ? around : 0);
    const rest = left > 0 ? this.#own(own, left) : '';
    return [...(blocks.length === 0 ? [SHORT_TASK] : []), ...parts, ...(rest === '' ? [] : [rest])];
  }

  /** What is around a prompt is subtracted from its first blocks: one alone may be smaller. */
  #sized({ blocks, inputTokens }: TraceRequest, sizes: readonly number[], own: number): readonly string[] {
    let around = this.#costs.shortTokens;
    let left = inputTokens;
    const parts = blocks.map((block, index) => {
      const size = sizes[index] ?? 0;
      const tokens = Math.max(0, size - around);
      around -= size - tokens;
      left -= size;
      return this.#block(block, tokens, index === 0, true);
    });
    return left - around > 0 ? [...parts, this.#own(own, left - around)] : parts;
  }

  /** Few words of one kind would be the same in every block: small ones begin with words of their own. */
  #block(block: number, tokens: number, isFirst: boolean, isSmall = false): string {
    const known = this.#known.get(block);
    if (known !== undefined) return known;
    const random = seededRandom(chained(chained(this.#start, block), tokens > 0 ? tokens : 0));
    const words = isSmall
      ? this.#distinct(tokens, random)
      : wordText(Math.max(0, tokens), this.#costs, random);
    const text = (isFirst ? SHORT_TASK : '') + words;
    this.#knownLength += text.length;
    if (this.#knownLength > KNOWN_LENGTH_MAX) {
      // Generated again, they are the same.
      this.#known.clear();
      this.#knownLength = text.length;
    }
    this.#known.set(block, text);
    return text;
  }

  #own(own: number, tokens: number): string {
    return this.#distinct(tokens, seededRandom(chained(chained(this.#start, own), OWN)));
  }

  #distinct(tokens: number, random: SeededRandom): string {
    const words = Array.from(
      { length: Math.min(OWN_WORDS, Math.floor(tokens / this.#wordTokens)) },
      () => ` ${WORD_LIST[random.below(WORD_LIST.length)] ?? ''}`,
    );
    return words.join('') + wordText(tokens - words.length * this.#wordTokens, this.#costs, random);
  }
}

/** In characters. */
const KNOWN_LENGTH_MAX = 33_554_432;
const OWN = 7;
/** One in forty thousand has the same. */
const OWN_WORDS = 2;
