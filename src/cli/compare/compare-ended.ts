// `plimsoll compare` of what has ended: runs and sets of them, without loading anything.

import { benchEnvironment } from '../../bench/run/bench-environment.ts';
import { newId } from '../../bench/run/new-id.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { resolveHome } from '../../config/home.ts';
import { baselineSide } from '../../core/comparison/baseline.ts';
import { compareFinished } from '../../core/comparison/compare-finished.ts';
import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { readBaseline } from '../baseline-files.ts';
import { BENCH } from '../bench/bench-options.ts';
import { NAMES, runTags } from '../bench/name-options.ts';
import type { Invocation } from '../command.ts';
import type { ProcessState } from '../process-state.ts';
import { commandText } from '../sweep/kept-command.ts';
import { COMPARE } from './compare-options.ts';
import { NOT_GIVEN, namedSide } from './finished-sides.ts';

type EndedSide =
  | { readonly kind: 'runs'; readonly text: string }
  | { readonly kind: 'baseline'; readonly name: string };

/** @throws CommandError where a side names no run. */
export const compareEnded = async (
  { a, b }: { readonly a: EndedSide; readonly b: string },
  invocation: Invocation,
  state: ProcessState,
): Promise<ComparisonDocument> => {
  const home = resolveHome({ ...state, option: invocation.option(BENCH.home) });
  const sideA =
    a.kind === 'baseline'
      ? baselineSide(await readBaseline(home, a.name))
      : await namedSide(a.text, { home, state });
  return compareFinished(sideA, await namedSide(b, { home, state }), {
    id: newId(),
    version: state.version,
    startedAt: new Date(systemClock.wallMs()).toISOString(),
    command: commandText('compare', { args: state.args.slice(1) }),
    environment: benchEnvironment(state),
    name: invocation.option(NAMES.name) ?? NOT_GIVEN,
    tags: runTags(invocation.option(NAMES.tag)),
    primary: invocation.option(COMPARE.primary),
    margins: Object.assign({}, ...invocation.option(COMPARE.margin)),
    isAnyway: invocation.option(COMPARE.anyway),
    isSameModel: invocation.option(COMPARE.sameModel),
  });
};
