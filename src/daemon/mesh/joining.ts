// Makes a running node join or leave a cluster. The file of the key is the membership: it appears whole or not at all, so after
// a kill at any time the next start finds one or the other.

import { unlink } from 'node:fs/promises';
import type { Clock } from '../../clock/clock.ts';
import { type HostPort, hostPortText, isLoopbackHost } from '../../core/address/host-port.ts';
import type { NodeId } from '../../core/ids.ts';
import { errorCode, type Problem, ProblemError, shortReason } from '../../core/problem.ts';
import type { State } from '../../core/state.ts';
import { isLinkLocalIpv6 } from '../../mesh/discovery/peer-address.ts';
import { JOIN_ADDRESSES_MAX, joinCodeText, joinProof, parseJoinCode } from '../../mesh/key/join-code.ts';
import { JOIN_CODE_LIFE_MS } from '../../mesh/key/join-codes.ts';
import { createClusterKeyFile, readClusterKey } from '../../mesh/key/key-file.ts';
import { reachAddressesOf } from '../../mesh/reachability/reach-targets.ts';
import { type FailedTry, type JoinOutcome, requestToJoin } from '../../mesh/tls/request-to-join.ts';
import type { ApiFacts, ApiProblemCode } from '../../wire/api/api-problem.ts';
import type { JoinCodeAnswer, JoinCodeStandingAnswer, JoinedAnswer } from '../../wire/api/daemon-answers.ts';
import { keyPath, removeJoinedPeers, writeJoinedPeers } from './daemon-mesh.ts';
import type { Membership } from './membership.ts';

export class JoinError extends ProblemError<Problem<ApiProblemCode, ApiFacts>> {
  override readonly name = 'JoinError';
}

interface JoiningParts {
  readonly nodeId: NodeId;
  readonly clock: Clock;
  readonly state: () => State;
  readonly home: string;
  /** --cluster-key-file: then the membership is not the home's. */
  readonly keyFile: string | undefined;
  readonly membership: Pick<Membership, 'mesh' | 'look' | 'leave'>;
}

export class Joining {
  readonly #parts: JoiningParts;
  /** Joining and leaving, one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: JoiningParts) {
    this.#parts = parts;
  }

  /** @throws JoinError */
  async issueCode(): Promise<JoinCodeAnswer> {
    const { membership } = this.#parts;
    await membership.look(); // the key may have been written a moment ago
    const service = membership.mesh?.service;
    const listensOn = membership.mesh?.listensOn;
    if (service === undefined || listensOn === undefined)
      throw new JoinError({
        code: 'not-in-a-cluster',
        problem: 'This node is in no cluster that another machine could join.',
        advice: 'Create one with: plimsoll key new',
      });
    const addresses = this.#addressesOf(listensOn);
    if (addresses.length === 0)
      throw new JoinError({
        code: 'not-in-a-cluster',
        problem: 'No address is known at which another machine could reach this one.',
        advice: 'Connect it to a network, or copy the key yourself: plimsoll key show',
      });
    const secret = service.issue();
    return {
      code: joinCodeText({ secret, addresses }),
      id: joinProof(secret).id,
      expiresInMs: JOIN_CODE_LIFE_MS,
      isLoopback: isLoopbackHost(listensOn.host),
    };
  }

  /** The state of a code that this daemon gave since it is in this cluster. */
  standingOf(id: string): JoinCodeStandingAnswer {
    return (
      this.#parts.membership.mesh?.service?.standingOf(id) ?? {
        state: 'expired',
        expiresInMs: 0,
        triesLeft: 0,
      }
    );
  }

  /** @throws JoinError */
  join(text: string): Promise<JoinedAnswer> {
    return this.#inTurn(async () => await this.#join(text));
  }

  /** @throws JoinError */
  leave(): Promise<{ readonly keyId: string }> {
    return this.#inTurn(async () => await this.#leave());
  }

  async #join(text: string): Promise<JoinedAnswer> {
    const { home, clock, membership } = this.#parts;
    const parsed = parseJoinCode(text);
    if (parsed.kind === 'wrong')
      throw new JoinError({
        code: 'bad-join-code',
        problem: `The code ${parsed.problem}.`,
        advice: 'Copy the whole line that this prints on a machine of the cluster: plimsoll key show --join',
      });
    const path = keyPath(this.#parts);
    await this.#mustBeFree(path);
    // Before the code is used up: a disk that is full or read-only is found while that costs nothing.
    await stored(writeJoinedPeers(home, parsed.code.addresses), 'The code was not used.');
    const outcome = await requestToJoin(parsed.code, clock, AbortSignal.timeout(JOIN_MS_MAX));
    if (outcome.kind !== 'member') {
      await removeJoinedPeers(home);
      throw new JoinError(outcome.kind === 'refused' ? refusal(outcome) : failure(outcome.tries));
    }
    const { keys, address } = outcome;
    await stored(writeJoinedPeers(home, [address]), CODE_IS_USED);
    if (!(await stored(createClusterKeyFile(path, ...keys), CODE_IS_USED))) await this.#mustBeFree(path);
    await membership.look();
    if (membership.mesh === undefined)
      throw new JoinError({
        code: 'mesh-not-opened',
        problem: 'This node now has the key of the cluster, but its mesh does not open.',
        advice: 'See the reason with plimsoll status. The mesh opens by itself when that is fixed.',
      });
    return { keyId: keys[0].id, address: hostPortText(address) };
  }

  async #leave(): Promise<{ readonly keyId: string }> {
    const { home, keyFile, membership } = this.#parts;
    if (keyFile !== undefined)
      throw new JoinError({
        code: 'key-elsewhere',
        problem: `The cluster key is in ${keyFile}, which was given to this daemon.`,
        advice: 'Start it without --cluster-key-file.',
        path: keyFile,
      });
    const path = keyPath(this.#parts);
    const existing = await readClusterKey(path);
    if (existing.kind === 'missing' && membership.mesh === undefined)
      throw new JoinError({
        code: 'not-in-a-cluster',
        problem: 'This node is in no cluster.',
        advice: 'To join one: plimsoll join CODE',
      });
    try {
      await unlink(path);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') await stored(Promise.reject(error), 'The node is still a member.');
    }
    await removeJoinedPeers(home);
    await membership.leave();
    return { keyId: existing.kind === 'key' ? existing.key.id : '' };
  }

  async #mustBeFree(path: string): Promise<void> {
    const stored = await readClusterKey(path);
    if (stored.kind === 'missing' && this.#parts.membership.mesh === undefined) return;
    throw new JoinError({
      code: 'in-a-cluster',
      problem:
        stored.kind === 'key'
          ? `This node is in a cluster already: ${path} has the key ${stored.key.id}.`
          : stored.kind === 'wrong'
            ? `${stored.problem}.`
            : 'This node is in a cluster already, whose key file was deleted.',
      advice: 'Leave it first: plimsoll leave',
    });
  }

  /** Where others reach the mesh. A link-local IPv6 address would need the name of their interface. */
  #addressesOf({ host, port }: HostPort): readonly HostPort[] {
    const { nodeId, state } = this.#parts;
    if (host !== '::' && host !== '0.0.0.0') return [{ host, port }];
    const network = state().nodeNetworks[nodeId]?.value;
    if (network === undefined) return [];
    return reachAddressesOf(network)
      .filter(address => !isLinkLocalIpv6(address) && (host === '::' || !address.includes(':')))
      .slice(0, JOIN_ADDRESSES_MAX)
      .map(address => ({ host: address, port }));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

/** @throws JoinError `not-stored` where the disk refuses. */
const stored = async <T>(writing: Promise<T>, consequence: string): Promise<T> => {
  try {
    return await writing;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw new JoinError(
      {
        code: 'not-stored',
        problem: `The home cannot be written (${shortReason(error)}).`,
        advice: consequence,
      },
      { cause: error },
    );
  }
};

type ApiProblemOfJoin = Problem<ApiProblemCode, ApiFacts>;

const refusal = ({ reason, address }: Extract<JoinOutcome, { kind: 'refused' }>): ApiProblemOfJoin => ({
  code: 'join-refused',
  problem: `${hostPortText(address)} refuses this code: ${REFUSALS[reason] ?? 'for a reason unknown to this version'}.`,
  advice: NEW_CODE,
  reason,
});

const failure = (tries: readonly FailedTry[]): ApiProblemOfJoin => {
  const reported = tries.map(({ address, detail }) => `${hostPortText(address)}: ${detail}`).join('; ');
  const isUnknown = tries.some(({ reason }) => reason === 'unknown-code');
  return {
    code: 'join-failed',
    problem: `No machine that gave this code was found (${reported}).`,
    advice: isUnknown
      ? `The daemon that gave it has restarted since, or has given many others. ${NEW_CODE}`
      : 'Is the daemon there up, and can this machine reach it? A firewall must let the port through.',
    reason: isUnknown ? 'unknown-code' : 'unreachable',
  };
};

const REFUSALS: Readonly<Record<string, string>> = {
  used: 'a machine has joined with it already',
  expired: 'it is older than ten minutes',
  tries: 'five attempts to use it failed',
};
const NEW_CODE = 'Get a new one there: plimsoll key show --join';
const CODE_IS_USED = `Free space, or let this user write there. The code is used up: ${NEW_CODE}`;
const JOIN_MS_MAX = 60_000;
