// Which layers of a GGUF model attend only to a window of the context. Some files contain a pattern; for others the
// engine has one for the architecture (llama.cpp, llama-model.cpp, set_swa_pattern); without either, a layer counts
// as one with full attention, which needs more and is noted.

import type { GgufKeys } from './gguf-keys.ts';

/** For each layer: tokens of its window, or undefined for full attention. */
export const windowedLayers = (
  keys: GgufKeys,
  layers: number,
  notes: string[],
): ((layer: number) => number | undefined) => {
  const window = keys.number('attention.sliding_window');
  if (window === undefined || window === 0) return () => undefined;
  const list = keys.perLayer('attention.sliding_window_pattern', layers);
  const period = list === undefined ? PERIODS[keys.architecture] : repeatedPeriod(list);
  if (period !== undefined)
    // The last of each `period` layers has full attention.
    return layer => (period > 0 && layer % period === period - 1 ? undefined : window);
  if (list !== undefined) return layer => ((list[layer] ?? 0) > 0 ? window : undefined);
  if (ALL_WINDOWED.has(keys.architecture)) return () => window;
  notes.push(
    `the file contains a window of ${window} tokens, and not which layers have it: all count as without, which reads more`,
  );
  return () => undefined;
};

/**
 * A file contains either one number for all layers, the period, or a list with 1 for each layer that has the window.
 */
const repeatedPeriod = (list: readonly number[]): number | undefined => {
  const [first] = list;
  return first !== undefined && first > 1 && list.every(n => n === first) ? first : undefined;
};

/** Every n-th layer has full attention. */
const PERIODS: Readonly<Record<string, number>> = {
  gemma2: 2,
  gemma3: 6,
  gemma3n: 5,
  'gpt-oss': 2,
  cohere2: 4,
  llama4: 4,
  exaone4: 4,
};
const ALL_WINDOWED: ReadonlySet<string> = new Set(['phi3']);
