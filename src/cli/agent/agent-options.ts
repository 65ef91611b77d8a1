// Who loads the target, where it is not this process: nodes of the cluster, or agents outside of one.

import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { type Option, value } from '../command.ts';
import { type AgentPlace, parseAgentPlaces } from './agent-places.ts';

const parseNames = (text: string): Parsed<readonly string[]> => {
  const names = text.split(',').map(name => name.trim());
  if (names.some(name => name === '')) return wrong('a name is empty', 'Write: --from atlas,boreas');
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? parsed(names) : wrong(`${twice} is named twice`, 'Name it once.');
};

export const fromOption: Option<readonly string[] | undefined> = value({
  name: 'from',
  valueName: 'NODES',
  meaning: 'Load from these nodes of the cluster, by name or id: atlas,boreas. Each must allow it.',
  parse: parseNames,
});

/** Its value is a secret as long as the codes are good. */
export const agentsOption: Option<readonly AgentPlace[] | undefined> = value({
  name: 'agents',
  valueName: 'PLACES',
  meaning: 'Load from these agents, as each prints it: HOST:PORT=CODE,HOST:PORT=CODE.',
  parse: parseAgentPlaces,
});
