// The state and the result of a sweep or line, as lists and its page show them.

import type { SweepView } from '../../../src/core/sweep/sweep-selectors.ts';
import { heldText, lineFigure, loadUnit } from '../../../src/render/sweep/line-text.ts';
import { picturedDigests } from '../../../src/render/sweep/pictured-stage.ts';
import { documentState, type StateText } from '../run/run-labels.ts';

export const sweepStateText = ({ state, isLive, stages }: SweepView): StateText =>
  documentState(state, isLive, `, stage ${Math.max(1, stages.length)}`);

/** "11.6 requests/s", "5 of 6 loads held". */
export const resultText = ({ sweep, line, isLive, stages }: SweepView): string => {
  if (sweep.form === 'line')
    return line.kind === 'unknown' ? 'not known' : `${lineFigure(line, isLive)} ${loadUnit(sweep)}`;
  return heldText(picturedDigests(stages), sweep);
};
