// A GGUF file's metadata about its model, under the keys of its architecture: "llama.block_count",
// "qwen3moe.expert_count".

import { type Reported, unknown } from '../../core/unknown.ts';
import type { GgufHeader, GgufValue } from './read-gguf.ts';

export class GgufKeys {
  readonly architecture: string;
  readonly #metadata: ReadonlyMap<string, GgufValue>;

  constructor({ metadata }: Pick<GgufHeader, 'metadata'>) {
    this.#metadata = metadata;
    this.architecture = this.text('general.architecture') ?? '';
  }

  /** By its whole key. */
  text(key: string): string | undefined {
    const value = this.#metadata.get(key);
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  /** Of the architecture: a whole number from 0. */
  number(key: string): number | undefined {
    const value = this.#of(key);
    return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= NUMBER_MAX
      ? value
      : undefined;
  }

  figure(key: string): Reported<number> {
    return this.number(key) ?? unknown(`the file does not contain ${this.architecture}.${key}`);
  }

  /** One for each layer, from a number or a list; undefined if it is neither. */
  perLayer(key: string, layers: number): readonly number[] | undefined {
    const value = this.#of(key);
    if (typeof value === 'number')
      return value >= 0 && value <= NUMBER_MAX && Number.isInteger(value)
        ? new Array<number>(layers).fill(value)
        : undefined;
    if (!Array.isArray(value) || value.length < layers) return undefined;
    const numbers: readonly number[] = value;
    return numbers.slice(0, layers).every(n => Number.isInteger(n) && n >= 0 && n <= NUMBER_MAX)
      ? numbers.slice(0, layers)
      : undefined;
  }

  has(key: string): boolean {
    return this.#of(key) !== undefined;
  }

  #of(key: string): GgufValue | undefined {
    return this.#metadata.get(`${this.architecture}.${key}`);
  }
}

/** Of heads, widths and tokens. */
const NUMBER_MAX = 2_000_000_000;
