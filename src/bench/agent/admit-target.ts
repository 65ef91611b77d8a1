// Whether this machine may load a target: its origin must be listed, and every address of its name must be one that a
// server may have. The resulting target has the checked address in place of the name, so a name that resolves
// elsewhere a moment later changes nothing.

import { barredAddress } from '../../core/address/server-address.ts';
import { counted } from '../../core/figure/figure.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { type BenchTarget, parseTargetUrl } from '../target/target-url.ts';
import type { AgentPolicy, AgentRefusal } from './agent-policy.ts';

type TargetAdmission =
  | { readonly kind: 'listed'; readonly origin: string; readonly target: BenchTarget }
  | { readonly kind: 'refused'; readonly refusal: AgentRefusal };

/** Checked before the name is resolved: a name that is not listed must not cause a DNS query from this machine. */
export const admitTarget = (
  url: string,
  { isAgent, targets }: Pick<AgentPolicy, 'isAgent' | 'targets'>,
): TargetAdmission => {
  if (!isAgent) return refused('agent-off', 'this machine makes no load for others', ALLOW_ADVICE);
  const parsed = url.length > URL_LENGTH_MAX ? undefined : parseTargetUrl(url);
  if (parsed?.kind !== 'ok') {
    return refused('target-url', 'the target is not a URL of http:// or https://', URL_ADVICE);
  }
  const target = parsed.value;
  // A secret in the URL would have come over the network from the coordinator; credentials for a target are
  // configured on this machine.
  if (target.authorization !== undefined || target.query !== '' || url.includes('#')) {
    return refused('target-url', 'the target has credentials, a query or a fragment in its URL', URL_ADVICE);
  }
  if (target.server.socketPath !== undefined) {
    return refused(
      'target-url',
      'the target is a socket, which is only for the machine that has it',
      URL_ADVICE,
    );
  }
  const { origin } = new URL(url);
  if (!targets.includes(origin)) {
    return refused(
      'target-not-listed',
      `${origin} is not among the targets that this machine may load`,
      `The owner of that machine can list it there: [bench] targets = ["${origin}"] in config.toml, or ${shellCommand`plimsoll agent --target ${origin}`}`,
    );
  }
  return { kind: 'listed', origin, target };
};

type AddressAdmission =
  | { readonly kind: 'checked'; readonly addresses: readonly string[] }
  | { readonly kind: 'refused'; readonly refusal: AgentRefusal };

/** One bad address refuses all of them: the owner of the DNS records decides which one a connection gets. */
export const admitAddresses = (host: string, addresses: readonly string[]): AddressAdmission => {
  if (addresses.length === 0) {
    return refused('target-unresolved', `no address has the name ${host}`, 'Check the name on that machine.');
  }
  if (addresses.length > ADDRESSES_MAX) {
    return refused(
      'target-address',
      `${host} has ${counted(addresses.length, 'address', 'addresses')}`,
      `At most ${ADDRESSES_MAX} are checked. List one of its servers by a name of its own.`,
    );
  }
  for (const address of addresses) {
    const barred = barredAddress(host, address);
    if (barred === undefined) continue;
    return refused(
      'target-address',
      `${host} leads to ${address}, ${barred.text}`,
      barred.kind === 'loopback'
        ? 'To load a server on that machine itself, list it there by its loopback address: http://127.0.0.1:8000'
        : 'No setting allows it. Check the name on that machine.',
    );
  }
  return { kind: 'checked', addresses };
};

/** Connects by address; the server still sees the name, in the Host header and in TLS. */
export const pinnedTo = (target: BenchTarget, address: string): BenchTarget => ({
  ...target,
  server: { ...target.server, host: address },
});

const refused = (
  cause: AgentRefusal['cause'],
  problem: string,
  advice: string,
): { readonly kind: 'refused'; readonly refusal: AgentRefusal } => ({
  kind: 'refused',
  refusal: { code: CODES[cause] ?? 'target-not-allowed', cause, problem, advice },
});

const CODES: Readonly<Partial<Record<AgentRefusal['cause'], AgentRefusal['code']>>> = {
  'agent-off': 'not-allowed',
  'target-unresolved': 'unreachable',
};

const ALLOW_ADVICE =
  'The owner of that machine can allow it there: [bench] agent = true in config.toml, with the targets that it may load.';
const URL_ADVICE = 'Give scheme, host, port and path alone; keys for a target are set on each agent.';
const URL_LENGTH_MAX = 2_048;
const ADDRESSES_MAX = 64;
