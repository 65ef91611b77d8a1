// `plimsoll bench --scenario`: a named benchmark, or a file of one. Its options become words of the command line where the
// line has none of its own, so that a scenario can do what the command line can, and no more; its rules judge the report.

import { parsed, wrong } from '../../core/figure/parse-figure.ts';
import { excludes, type Option, value } from '../../core/option/option.ts';
import { SCENARIOS } from '../../core/scenario/scenario.ts';
import { nearest } from '../../core/text/nearest.ts';
import type { Command, Invocation } from '../command.ts';
import type { ProcessState } from '../process-state.ts';
import { isRunFile } from './run-file.ts';
import type { ScenarioCall } from './scenario-call.ts';

const NAMES: readonly string[] = SCENARIOS.map(({ name }) => name);

export const scenarioOption: Option<string | undefined> = value({
  name: 'scenario',
  group: 'Load',
  rules: [
    excludes(['from', 'agents'], { because: 'a scenario is the load of one machine' }),
    excludes(['stages', 'profile'], { because: 'both determine the load' }),
  ],
  valueName: 'NAME|FILE',
  meaning: `Options and rules of a named benchmark: ${NAMES.join(', ')}, or a file of them. The report shows whether the run is valid (docs/scenarios.md).`,
  reads: text => (isRunFile(text) ? text : undefined),
  parse: text => {
    if (isRunFile(text) || NAMES.includes(text)) return parsed(text);
    const meant = nearest(text, NAMES);
    return wrong(
      `${JSON.stringify(text.slice(0, 40))} is no scenario, and no .toml, .yaml or .json file`,
      meant === undefined ? `Scenarios are ${NAMES.join(', ')}.` : `Did you mean ${meant}?`,
    );
  },
});

/** @throws CommandError for a file that is no scenario, and for options that cannot be combined with it. */
export const scenarioCall = async (
  invocation: Invocation,
  state: Pick<ProcessState, 'args' | 'cwd'>,
  command: Command,
): Promise<ScenarioCall> => {
  const given = invocation.option(scenarioOption);
  if (given === undefined) return { scenario: undefined, invocation };
  const { callOfScenario } = await loadScenario();
  return await callOfScenario(given, state, command);
};

/** Loaded late: few runs have one. */
const loadScenario = () => import('./scenario-call.ts');
