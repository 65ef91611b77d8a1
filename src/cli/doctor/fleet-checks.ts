// Whether the server of this node's fleet works for it, and where not, what to do.

import { counted } from '../../core/figure/figure.ts';
import { examineOwnFleet } from '../fleet/own-fleet.ts';
import { type Check, checksOf } from './check.ts';

const check = checksOf('fleet');

/** None where no server is named. */
export const fleetChecks = async (home: string): Promise<readonly Check[]> => {
  const fleet = await examineOwnFleet(home);
  if (fleet.kind === 'none') return [];
  const { server, streams, problems, notes } = fleet.examination;
  return [
    ...(server === undefined
      ? []
      : [
          check(
            'ok',
            `nats-server ${server.version} answers at ${server.address} in ${server.roundTripMs.toFixed(1)} ms`,
          ),
        ]),
    ...streams.map(({ name, messages, bytes }) =>
      check('ok', `${name} holds ${counted(messages, 'message')}, ${(bytes / 1e6).toFixed(1)} MB`),
    ),
    ...problems.map(({ problem, advice }) => check('problem', problem, advice)),
    ...notes.map(({ problem, advice }) => check('note', problem, advice)),
  ];
};
