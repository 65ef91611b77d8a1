// Node and the clock of this computer.

import type { Clock } from '../../clock/clock.ts';
import type { ProcessState } from '../process-state.ts';
import type { Check } from './check.ts';

export const computerChecks = (state: ProcessState, clock: Clock): readonly Check[] => [
  nodeCheck(state),
  clockCheck(clock),
];

const nodeCheck = ({ nodeVersion, platform }: ProcessState): Check => {
  const isNew = Number(nodeVersion.split('.')[0]) >= NODE_MAJOR_MIN;
  return {
    section: 'this computer',
    verdict: isNew ? 'ok' : 'problem',
    text: `Node ${nodeVersion} on ${platform}`,
    advice: isNew ? '' : `Install Node ${NODE_MAJOR_MIN} or newer from https://nodejs.org.`,
  };
};

/** Journals keep wall time: a clock that was never set makes their history useless. */
const clockCheck = (clock: Clock): Check => {
  const now = new Date(clock.wallMs());
  const isPlausible = now.getTime() > RELEASED_MS;
  return {
    section: 'this computer',
    verdict: isPlausible ? 'ok' : 'problem',
    text: `the clock says ${now.toISOString()}`,
    advice: isPlausible ? '' : 'Set the clock: it shows a time before this version was made.',
  };
};

const NODE_MAJOR_MIN = 24;
const RELEASED_MS = Date.UTC(2026, 0, 1);
