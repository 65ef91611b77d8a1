// Shows a comparison while it goes on: what is known so far, which segment runs and how long it takes to the next look; a line for
// each pair where there is no terminal.

import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { comparisonScreen, pairLine } from '../../core/comparison/comparison-screen.ts';
import type { DisplayMode } from '../bench/run-display.ts';
import type { OutputStream } from '../process-state.ts';
import { StagedDisplay } from '../staged-display.ts';

export const compareDisplay = (mode: DisplayMode, stdout: OutputStream): StagedDisplay<ComparisonDocument> =>
  new StagedDisplay({
    mode,
    stdout,
    screen: comparisonScreen,
    ended: (document, reported) => {
      const count = document.progress?.pairsDone ?? reported;
      return {
        count: Math.max(reported, count),
        lines: count > reported ? [pairLine(document, stdout)] : [],
      };
    },
    footer: 'Ctrl-C ends the comparison and keeps the pairs that are done.',
  });
