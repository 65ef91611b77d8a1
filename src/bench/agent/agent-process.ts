// The short-lived process of an agent that a daemon starts for one coordinator: it listens for one ticket, serves its holder,
// and ends; also when the ticket is not used in time, or the daemon is gone.

import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import process from 'node:process';
import * as v from 'valibot';
import { unlessAborted } from '../../clock/clock.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { errorMessage, shortReason } from '../../core/problem.ts';
import { reportParent, stopsOf, watchParent } from '../../process/parent-watch.ts';
import { benchEnvironment, withoutSecrets } from '../run/bench-environment.ts';
import { BENCH_SETTINGS } from '../run/bench-parts.ts';
import { AgentHost } from './agent-host.ts';
import { AGENT_ARGUMENT_VARIABLE, type AgentProcessMessage, agentArgumentSchema } from './child-argument.ts';
import { systemNames } from './reach-target.ts';

const main = async (): Promise<void> => {
  const parent = watchParent(process.env);
  const { stop } = stopsOf(parent, (signal, received) => process.on(signal, received));
  const ended = parent.kind === 'watching' ? AbortSignal.any([stop, parent.signal]) : stop;
  const argument = v.parse(agentArgumentSchema, JSON.parse(process.env[AGENT_ARGUMENT_VARIABLE] ?? ''));
  const report = (message: AgentProcessMessage): void => void reportParent(process.env, message);
  await mkdir(argument.folder, { recursive: true, mode: 0o700 });
  let tickets: readonly string[] = [argument.ticket];
  await using host = new AgentHost({
    host: '::',
    port: argument.port,
    nextSecret: () => {
      const [ticket] = tickets;
      tickets = [];
      return ticket;
    },
    restMs: 0,
    unusedMs: argument.waitMsMax,
    observer: {
      secret: () => undefined,
      began: () => undefined,
      ended: () => undefined,
      strangers: () => undefined,
    },
    session: {
      policy: () => argument.policy,
      name: argument.name,
      bench: {
        clock: systemClock,
        env: withoutSecrets(process.env),
        nodePath: process.execPath,
        temporaryFolder: tmpdir(),
        version: argument.version,
        environment: benchEnvironment({ nodeVersion: process.versions.node, platform: process.platform }),
        settings: BENCH_SETTINGS,
      },
      env: process.env,
      folder: argument.folder,
      resolve: systemNames,
      signal: ended,
      onLoad: load => report({ kind: 'load', load: load ?? null }),
    },
  });
  try {
    report({ kind: 'listening', port: await host.listen() });
  } catch (error) {
    report({ kind: 'cannot-listen', reason: shortReason(error) });
    return;
  }
  await unlessAborted(host.over, ended);
};

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${errorMessage(error)}\n`);
    process.exit(1);
  },
);
