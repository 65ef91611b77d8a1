// Shows a search while it goes on: the sentence so far, what runs, what comes next and how much time is left; a line for each stage
// where there is no terminal.

import type { LineDocument } from '../../core/sweep/sweep-document.ts';
import { searchProgress, searchScreen, stageLine } from '../../core/sweep/sweep-text.ts';
import type { DisplayMode } from '../bench/run-display.ts';
import type { OutputStream } from '../process-state.ts';
import { StagedDisplay } from '../staged-display.ts';

export const lineDisplay = (mode: DisplayMode, stdout: OutputStream): StagedDisplay<LineDocument> =>
  new StagedDisplay({
    mode,
    stdout,
    screen: searchScreen,
    ended: (document, reported) => {
      const stages = document.stages.filter(({ state }) => state === 'ended');
      const progress = searchProgress(document).join('. ');
      return {
        count: stages.length,
        lines: stages.slice(reported).map(stage => `${stageLine(stage)}. ${progress}`),
      };
    },
    footer: 'Ctrl-C ends the search and keeps what is known.',
  });
