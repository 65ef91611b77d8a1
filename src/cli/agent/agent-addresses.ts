// How an agent outside the cluster is written on a coordinator's command line: HOST[:PORT]=CODE, as `plimsoll agent` prints it.

import { parseAgentCode } from '../../bench/agent/tls/agent-code.ts';
import { type HostPort, hostPortText, parseHostPort } from '../../core/address/host-port.ts';
import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { type Option, optionsIn } from '../../core/option/option.ts';

const { value } = optionsIn('Load');

export interface AgentAddress {
  readonly at: HostPort;
  /** A secret: it is shown nowhere. */
  readonly code: string;
}

/** "10.0.0.2=7QKF-…,[2001:db8::7]:5000=…". Without a port it is 4184. No message has a code. */
export const parseAgentAddresses = (text: string): Parsed<readonly AgentAddress[]> => {
  const agents: AgentAddress[] = [];
  for (const item of text.split(',')) {
    const [address = '', code, ...rest] = item.trim().split('=');
    if (address === '' || code === undefined || rest.length > 0)
      return wrong('an agent is written as HOST:PORT=CODE', ADVICE);
    const at = hostPortOf(address);
    if (at.kind === 'wrong') return at;
    const secret = parseAgentCode(code);
    if (secret.kind === 'wrong') return wrong(`${address}: ${secret.problem}`, secret.advice);
    agents.push({ at: at.value, code: secret.value });
  }
  const names = agents.map(({ at }) => hostPortText(at));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? parsed(agents) : wrong(`the agent ${twice} is given twice`, 'Use it once.');
};

/** The way back, for the line that an agent prints. */
export const agentAddressText = ({ at, code }: AgentAddress): string =>
  `${at.port !== AGENT_PORT || at.host.includes(':') ? hostPortText(at) : at.host}=${code}`;

const hostPortOf = (text: string): Parsed<HostPort> =>
  /^(\[[^\]]*\]|[^:]*)$/.test(text) ? parseHostPort(`${text}:${AGENT_PORT}`) : parseHostPort(text);

export const AGENT_PORT = 4184;
const ADVICE = 'Copy it from where `plimsoll agent` printed it: --agents 10.0.0.2=CODE,10.0.0.3=CODE';

// Who loads the target, where it is not this process: nodes of the cluster, or agents outside of one.
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
export const agentsOption: Option<readonly AgentAddress[] | undefined> = value({
  name: 'agents',
  isSecret: true,
  valueName: 'PLACES',
  meaning: 'Load from these agents, as each prints it: HOST:PORT=CODE,HOST:PORT=CODE.',
  parse: parseAgentAddresses,
});
