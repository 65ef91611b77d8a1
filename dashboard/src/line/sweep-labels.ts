// The state of a sweep or line in a word, as lists and its page show it.

import type { SweepView } from '../../../src/core/sweep/sweep-selectors.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { heldText, lineFigure, loadUnit } from '../../../src/render/sweep/line-text.ts';
import { picturedDigests } from '../../../src/render/sweep/pictured-stage.ts';
import type { StateText } from '../run/run-labels.ts';

export const sweepStateText = ({ state, isLive, stages }: SweepView): StateText => {
  if (isLive) return { tone: 'live', label: `live, stage ${Math.max(1, stages.length)}` };
  switch (state) {
    case 'complete':
      return { tone: 'ended', label: 'complete' };
    case 'stopped':
    case 'interrupted':
      return { tone: 'cut', label: state };
    case 'running':
      return { tone: 'cut', label: 'silent' };
    default:
      return state satisfies never;
  }
};

/** "11.6 requests/s", "5 of 6 loads held". */
export const resultText = ({ sweep, line, isLive, stages }: SweepView): string => {
  if (sweep.form === 'line')
    return line.kind === 'unknown' ? 'not known' : `${lineFigure(line, isLive)} ${loadUnit(sweep.by)}`;
  return heldText(picturedDigests(stages), sweep);
};

/** "Load line evening", "Sweep". */
export const sweepTitle = ({ sweep }: SweepView): string =>
  `${sweep.form === 'line' ? 'Load line' : 'Sweep'}${isUnknown(sweep.name) ? '' : ` ${sweep.name}`}`;
