// Combines all stages of a search: whether each load is met, and from that the ends of the bracket. Two stages of one
// load that contradict each other count as no evidence, so that the bracket widens to the next loads beyond.

import type { StageVerdict } from '../../core/sweep/stage.ts';

type FailsBy = 'objective' | 'over-capacity';

export interface Trial {
  readonly load: number;
  readonly verdict: StageVerdict;
  readonly issued: number;
}

export interface LoadEvidence {
  readonly load: number;
  held: number;
  failed: number;
  /** Number of its undecided stages. */
  undecided: number;
  isClientBound: boolean;
  failsBy: FailsBy;
  /** Requests issued in its longest stage. */
  issued: number;
  /** In the order in which loads were first tried. */
  readonly order: number;
}

export class Trials {
  readonly #loads: Map<number, LoadEvidence> = new Map();

  add({ load, verdict, issued }: Trial): void {
    const known = this.#loads.get(load);
    const evidence = known ?? {
      load,
      held: 0,
      failed: 0,
      undecided: 0,
      isClientBound: false,
      failsBy: 'objective',
      issued: 0,
      order: this.#loads.size,
    };
    this.#loads.set(load, evidence);
    evidence.issued = Math.max(evidence.issued, issued);
    switch (verdict) {
      case 'held':
        settle(evidence);
        evidence.held += 1;
        return;
      case 'missed':
        settle(evidence);
        evidence.failed += 1;
        return;
      case 'over-capacity':
      case 'broken':
        settle(evidence);
        evidence.failed += 1;
        evidence.failsBy = 'over-capacity';
        return;
      case 'client-bound':
        evidence.isClientBound = true;
        return;
      case 'undecided':
      case 'stopped':
        evidence.undecided += 1;
        return;
      default:
        verdict satisfies never;
    }
  }

  at(load: number): LoadEvidence | undefined {
    return this.#loads.get(load);
  }

  /** The lowest load that is not met. */
  get fails(): LoadEvidence | undefined {
    const failing = this.#all().filter(({ held, failed }) => failed > 0 && held === 0);
    return failing.find(isSure) ?? failing[0];
  }

  /** The highest load that is met, below every one that is not. */
  get holds(): LoadEvidence | undefined {
    const limit = this.fails?.load ?? Number.POSITIVE_INFINITY;
    const holding = this.#all().filter(({ load, held, failed }) => held > 0 && failed === 0 && load < limit);
    return holding.findLast(isSure) ?? holding.at(-1);
  }

  /** The lowest load at which this client was the limit, if nothing lower failed. */
  get clientLimit(): number | undefined {
    const limit = this.fails?.load ?? Number.POSITIVE_INFINITY;
    return this.#all().find(({ load, isClientBound, held }) => isClientBound && held === 0 && load < limit)
      ?.load;
  }

  /** Undecided loads strictly between, ascending. */
  between(low: number, high: number): readonly number[] {
    return this.#all()
      .map(({ load }) => load)
      .filter(load => load > low && load < high);
  }

  get lowest(): number | undefined {
    return this.#all()[0]?.load;
  }

  get highest(): number | undefined {
    return this.#all().at(-1)?.load;
  }

  #all(): readonly LoadEvidence[] {
    return [...this.#loads.values()].sort((a, b) => a.load - b.load);
  }
}

/** A shorter undecided stage is no evidence against a longer one. */
const settle = (evidence: LoadEvidence): void => {
  if (evidence.held + evidence.failed === 0) evidence.undecided = 0;
};

/** A load that a second stage could not decide is replaced by one farther off, if there is one. */
export const isSure = ({ held, failed, undecided }: LoadEvidence): boolean => held + failed > undecided;
