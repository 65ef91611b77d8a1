// The sentences for an endpoint from a whole search on the virtual clock: the result, and of each stage its verdict with its
// reasons, by the code that writes them for real ones. The client was never the limit.

import { lineSentence } from '../../src/bench/line/found-line.ts';
import { capacityChange, type SearchOptions } from '../../src/bench/line/line-search.ts';
import { StageAccount } from '../../src/bench/sweep/stage-account.ts';
import { stageCriterion } from '../../src/bench/sweep/stage-criteria.ts';
import { stageFigures } from '../../src/bench/sweep/stage-figures.ts';
import { type ClientAccount, finalVerdict, stageReasons } from '../../src/bench/sweep/stage-text.ts';
import type { JudgedObjective } from '../../src/core/run/objective.ts';
import { PLAIN_SHAPE } from '../../src/core/run/run-shape.ts';
import type { StageVerdict } from '../../src/core/sweep/stage.ts';
import type { LoadLine } from '../../src/core/sweep/sweep-document.ts';
import { unknown } from '../../src/core/unknown.ts';
import { judgedObjectiveText } from '../../src/render/run/objective-text.ts';
import { type SimulatedEndpoint, type SimulationOptions, simulateLine } from './simulated-line.ts';

interface ScriptedStage {
  readonly load: string;
  readonly purpose: string;
  readonly verdict: StageVerdict;
  readonly reasons: readonly string[];
}

export interface ScriptedLine {
  readonly line: LoadLine;
  readonly sentence: string;
  readonly stages: readonly ScriptedStage[];
}

export const scriptedLine = (
  endpoint: SimulatedEndpoint,
  objectives: readonly JudgedObjective[],
  options: SearchOptions & Omit<SimulationOptions, 'follow'>,
): ScriptedLine => {
  const stages: ScriptedStage[] = [];
  const { line, stages: searched } = simulateLine(endpoint, {
    ...options,
    follow: {
      begin: ({ load }) =>
        new StageAccount(objectives.map(stageCriterion), {
          pattern:
            load.kind === 'rate'
              ? { kind: 'poisson', requestsPerSecond: load.requestsPerSecond }
              : { kind: 'concurrency', concurrency: load.concurrency },
          shape: PLAIN_SHAPE,
          isStreaming: true,
        }),
      ended: ({ load, purpose }, account, { look, elapsedNs }) => {
        const figures = stageFigures({ account, load, elapsedNs, look, queue: none });
        const verdict = finalVerdict({ purpose, look, report: TRUSTED, figures, isStopped: false });
        stages.push({
          load: load.kind === 'rate' ? load.requestsPerSecond.toFixed(1) : `${load.concurrency} at a time`,
          purpose,
          verdict,
          reasons: stageReasons({
            purpose,
            verdict,
            look,
            figures,
            report: TRUSTED,
            failures: account.failures,
          }),
        });
        return verdict;
      },
    },
  });
  const sentence = lineSentence(line, {
    by: options.by,
    objectives: objectives.map(judgedObjectiveText),
    change: capacityChange(searched, options),
  });
  return { line, sentence, stages };
};

const none = unknown('nobody was asked');
export const TRUSTED: ClientAccount = {
  client: {
    verdict: 'trustworthy',
    reasons: [],
    starved: false,
    sendLatenessNs: none,
    readLatenessNs: none,
    beatLatenessNs: none,
  },
  droppedEvents: 0,
  errors: {},
};
