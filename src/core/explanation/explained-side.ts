// The two results while they are explained, and how effects are calculated: step by step on the way from A's figure to B's. A step
// takes something that differs out of one side: out of A before the crossing, or out of B after it. So all effects and the rest add
// up to the difference.

import { maximumOf, minimumOf } from '../extremes.ts';
import { formatThreeDigits } from '../figure/figure.ts';
import type { EndedSample } from '../run/ended-sample.ts';
import { isUnknown, type Unknown } from '../unknown.ts';
import type { ExplainedResult } from './explained-result.ts';
import type { Cause, EffectCode, UncomputedCause } from './explanation-document.ts';
import type { Recalculation, RequestView } from './recalculation.ts';
import { TOOL_RULES } from './tool-rules.ts';

export type Letter = 'a' | 'b';

export interface ExplainedSide {
  readonly result: ExplainedResult;
  readonly again: Recalculation;
  readonly warmup: number | Unknown;
}

export type Sides = Readonly<Record<Letter, ExplainedSide>>;

export const OTHER: Readonly<Record<Letter, Letter>> = { a: 'b', b: 'a' };
export const LETTERS: readonly Letter[] = ['a', 'b'];
export const nameOf = (letter: Letter): string => letter.toUpperCase();

export type Effect = Omit<Cause, 'effectShare'>;

/** One way to take a difference out. */
interface Attempt<View> {
  readonly on: Letter;
  readonly view: View;
  readonly evidence: string;
}

export type Step<View> =
  | { readonly kind: 'same' }
  /** It differs, and why its effect is not known. */
  | { readonly kind: 'uncomputed'; readonly reason: string }
  /** The first that can be calculated is taken. */
  | {
      readonly kind: 'attempts';
      readonly basis: Cause['basis'];
      readonly attempts: readonly Attempt<View>[];
    };

export const SAME: Step<never> = { kind: 'same' };
export const uncomputed = (reason: string): Step<never> => ({ kind: 'uncomputed', reason });
export const computed = <View>(...attempts: readonly Attempt<View>[]): Step<View> => ({
  kind: 'attempts',
  basis: 'computed',
  attempts,
});
export const estimated = <View>(...attempts: readonly Attempt<View>[]): Step<View> => ({
  kind: 'attempts',
  basis: 'estimated',
  attempts,
});

/** Where both sides are. */
export class DifferenceSteps<View> {
  readonly #valueAt: (on: Letter, view: View) => number | Unknown;
  readonly #views: Record<Letter, View>;
  readonly effects: Effect[] = [];
  readonly uncomputed: UncomputedCause[] = [];

  constructor(views: Readonly<Record<Letter, View>>, valueAt: (on: Letter, view: View) => number | Unknown) {
    this.#views = { ...views };
    this.#valueAt = valueAt;
  }

  get views(): Readonly<Record<Letter, View>> {
    return this.#views;
  }

  take(code: EffectCode, step: Step<View>): void {
    if (step.kind === 'same') return;
    if (step.kind === 'uncomputed') {
      this.uncomputed.push({ code, reason: step.reason });
      return;
    }
    const reasons: string[] = [];
    for (const { on, view, evidence } of step.attempts) {
      const before = this.#valueAt(on, this.#views[on]);
      const after = this.#valueAt(on, view);
      if (isUnknown(before) || isUnknown(after)) {
        reasons.push(`${nameOf(on)}: ${[before, after].find(isUnknown)?.reason ?? ''}`);
        continue;
      }
      this.#views[on] = view;
      this.effects.push({
        code,
        basis: step.basis,
        on,
        effect: on === 'a' ? after - before : before - after,
        evidence,
      });
      return;
    }
    const [first] = step.attempts;
    this.uncomputed.push({ code, reason: `${first?.evidence ?? ''} (${reasons.join('; ')})` });
  }
}

/** One side sent a warm-up, and the other measured from its first request. */
export const warmupStep = <View extends RequestView>(
  sides: Sides,
  views: Readonly<Record<Letter, View>>,
): Step<View> => {
  const { a, b } = sides;
  if (isUnknown(a.warmup) || isUnknown(b.warmup)) {
    const known = isUnknown(a.warmup) ? b : a;
    return isUnknown(known.warmup) || known.warmup === 0
      ? SAME
      : uncomputed(
          `${nameOf(known === a ? 'a' : 'b')} left out a warm-up of ${known.warmup}, and the other has no single requests`,
        );
  }
  if (a.warmup > 0 === b.warmup > 0) return SAME;
  const on: Letter = a.warmup > 0 ? 'b' : 'a';
  const left = Math.max(a.warmup, b.warmup);
  const measured = sides[on].again.completed(views[on]).length;
  return left * 2 > measured
    ? uncomputed(
        `${nameOf(OTHER[on])} left out a warm-up of ${left}; ${nameOf(on)} measured only ${measured}, from its first on`,
      )
    : computed({
        on,
        view: { ...views[on], firstLeftOut: left },
        evidence: `${nameOf(on)} measured from its first request on, ${nameOf(OTHER[on])} left out a warm-up of ${left}: ${nameOf(on)} without its first ${left}`,
      });
};

/** One side counts the tokens of answers by a tokenizer, the other takes the server's count. */
export const countStep = <View extends RequestView>(
  sides: Sides,
  views: Readonly<Record<Letter, View>>,
): Step<View> => {
  const on = LETTERS.find(letter => TOOL_RULES[sides[letter].result.tool].outputCount === 'client');
  if (on === undefined || TOOL_RULES[sides[OTHER[on]].result.tool].outputCount === 'client') return SAME;
  if (!LETTERS.every(letter => sides[letter].result.hasChunks)) return SAME;
  const each = tokensPerChunk(sides[OTHER[on]].again.completed(views[OTHER[on]]));
  return each === undefined
    ? SAME
    : estimated({
        on,
        view: { ...views[on], tokensPerChunk: each },
        evidence: `${nameOf(on)} counts answers by its own tokenizer, unless an option of it names the server's count: here ${formatThreeDigits(each)} tokens for each of its chunks, as the server of ${nameOf(OTHER[on])} counts them`,
      });
};

/** undefined where chunks differ in it. */
const tokensPerChunk = (completed: readonly EndedSample[]): number | undefined => {
  const ratios = completed.map(({ outputTokens, chunkCount }) => outputTokens / chunkCount);
  const [least, most] = [minimumOf(ratios), maximumOf(ratios)];
  return least > 0 && most - least <= SAME_RATIO * least ? least : undefined;
};

const SAME_RATIO = 0.01;
