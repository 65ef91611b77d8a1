// The figures of a scenario's rules, from the samples of its run. Pure: the same at its end and whenever it is rebuilt.

import { type EndedSample, lastContentNs, OUTSIDE_WINDOWS } from '../run/ended-sample.ts';
import { NO_FIGURE } from '../run/event-record.ts';
import { linearPercentile, placedArray } from '../statistics/percentile.ts';
import { RawValues } from '../statistics/raw-values.ts';
import { unknown } from '../unknown.ts';
import type { ScenarioFigures } from './run-scenario.ts';

export class ScenarioTally {
  readonly #secondsPerToken: RawValues = new RawValues();
  #completed = 0;
  #counted = 0;
  #firstSentNs = Number.POSITIVE_INFINITY;
  #lastContentNs = Number.NEGATIVE_INFINITY;

  ended(sample: EndedSample): void {
    const { window, outcome, sentNs, firstContentNs, outputTokens } = sample;
    if (window === OUTSIDE_WINDOWS) return;
    this.#firstSentNs = Math.min(this.#firstSentNs, sentNs);
    const endNs = lastContentNs(sample);
    if (firstContentNs !== NO_FIGURE) this.#lastContentNs = Math.max(this.#lastContentNs, endNs);
    if (outcome !== 'completed') return;
    this.#completed += 1;
    if (outputTokens <= 0) return;
    if (firstContentNs !== NO_FIGURE) this.#counted += 1;
    if (endNs > sentNs) this.#secondsPerToken.add((endNs - sentNs) / 1e9 / outputTokens);
  }

  figures(): ScenarioFigures {
    const slowest = linearPercentile(placedArray(this.#secondsPerToken.sorted()), 90);
    return {
      completed: this.#completed,
      counted: this.#counted,
      lastContentMs:
        this.#lastContentNs >= this.#firstSentNs
          ? (this.#lastContentNs - this.#firstSentNs) / 1e6
          : unknown('no content arrived'),
      normalizedInteractivity:
        slowest === undefined ? unknown('the server reported no output tokens') : 1 / slowest,
    };
  }
}
