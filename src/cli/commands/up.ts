// `plimsoll up`: runs the daemon of this machine in this terminal.

import { resolve } from 'node:path';
import { systemClock } from '../../clock/system-clock.ts';
import { resolveHome } from '../../config/home.ts';
import { LOG_FORMATS, LOG_LEVELS, logFormat, logLevel } from '../../config/value-kinds.ts';
import { type HostPort, parseHostPort } from '../../core/address/host-port.ts';
import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { flag, nonEmpty, repeated, value } from '../../core/option/option.ts';
import type { Daemon } from '../../daemon/daemon-options.ts';
import type { DiscoveryWay } from '../../mesh/discovery/beacon-endpoints.ts';
import { PEER_PORT } from '../../mesh/discovery/limits.ts';
import { parsePeer } from '../../mesh/discovery/peer-address.ts';
import { serviceNotify } from '../../process/service-notify.ts';
import { renderSummary } from '../../tui/render.ts';
import {
  type Command,
  homeOption,
  httpOption,
  type Invocation,
  listenAddress,
  portOption,
} from '../command.ts';
import { CommandError, terminalText } from '../command-error.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { nodeOtlpOption } from '../otlp-option.ts';
import type { ProcessState } from '../process-state.ts';
import { type ServedDashboard, showDashboard } from '../shown-dashboard.ts';

const nameOption = value({
  name: 'name',
  valueName: 'NAME',
  meaning: "The displayed name of this machine. Default: name in config.toml, otherwise the computer's name.",
  parse: nonEmpty,
});
const noOpenOption = flag('no-open', 'Do not open the dashboard in a browser.');
const parseDiscovery = (text: string): Parsed<DiscoveryWay> => {
  if (text.trim() === 'off') return parsed<DiscoveryWay>({ kind: 'off' });
  const names = text.split(',').map(name => name.trim());
  if (names.includes('off'))
    return wrong(
      'off and interfaces cannot be combined',
      'Write the interfaces alone, en0,en5, or off alone.',
    );
  if (names.every(name => name !== '')) return parsed<DiscoveryWay>({ kind: 'interfaces', names });
  return wrong('an interface has no name', 'Write them with commas: en0,en5. Or off.');
};

/** The text stays as it is: config.toml, too, gives the daemon texts. */
const parsePeerText = (text: string): Parsed<string> => {
  const peer = parsePeer(text);
  return peer.kind === 'peer'
    ? parsed(text)
    : wrong(peer.problem, `Write a name or an address, with :PORT if it is not ${PEER_PORT}.`);
};

const parseSpeed = (text: string): Parsed<number> => {
  const speed = Number(text);
  return text.trim() !== '' && speed >= 1 && speed <= 100
    ? parsed(speed)
    : wrong(`${text} is not a speed from 1 to 100`, 'Write for example --speed 10.');
};

const keyFileOption = value({
  name: 'cluster-key-file',
  valueName: 'FILE',
  meaning: 'The key of the cluster to join. Default: the key of the home, if `plimsoll key` put one there.',
  parse: nonEmpty,
});
const meshOption = value({
  name: 'mesh',
  valueName: 'HOST:PORT|off',
  meaning:
    'Where other nodes reach this one; off: no mesh, and no fleet either. Default: mesh.listen in config.toml. Needs a cluster key.',
  parse: text => (text.trim() === 'off' ? parsed<HostPort | 'off'>('off') : parseHostPort(text)),
});
const discoveryOption = value({
  name: 'discovery',
  valueName: 'off|IF,…',
  meaning: 'Interfaces for discovery of other nodes. Default: mesh.discovery in config.toml, otherwise all.',
  parse: parseDiscovery,
});
const peerOption = repeated({
  name: 'peer',
  valueName: 'ADDR',
  meaning: 'Another node of the cluster: a name or address, with :PORT if it is not 4181.',
  parse: parsePeerText,
});
const probesOption = value({
  name: 'probes',
  valueName: 'off',
  meaning: 'off: no active measurements. Default: probes.enabled in config.toml.',
  parse: text => (text.trim() === 'off' ? parsed<'off'>('off') : wrong('it is not off', 'Use off.')),
});
const logLevelOption = value({
  name: 'log-level',
  valueName: LOG_LEVELS.join('|'),
  choices: LOG_LEVELS,
  meaning:
    'The lowest level of the log on standard error. Default: log.level in config.toml, otherwise info; in a terminal warn.',
  parse: logLevel,
});
const logFormatOption = value({
  name: 'log-format',
  valueName: LOG_FORMATS.join('|'),
  choices: LOG_FORMATS,
  meaning: 'key=value pairs, or a JSON object a line. Default: log.format in config.toml, otherwise logfmt.',
  parse: logFormat,
});
const replayOption = value({
  name: 'replay',
  valueName: 'FILE',
  meaning: 'Show a recording made by plimsoll record instead of this machine, in a loop.',
  parse: nonEmpty,
});
const speedOption = value({
  name: 'speed',
  valueName: 'N',
  meaning: 'Playback speed, 1 to 100. With --replay. Default: 1.',
  parse: parseSpeed,
});
const onceOption = flag('once', 'Print the first readings of this machine and exit.');

export const upCommand: Command = {
  name: 'up',
  summary: 'Run the daemon of this machine and serve its dashboard',
  description: 'Reads this machine, keeps a journal in its home, and serves the dashboard until Ctrl-C.',
  arguments: [],
  options: [
    homeOption,
    httpOption,
    portOption,
    nameOption,
    keyFileOption,
    meshOption,
    discoveryOption,
    peerOption,
    probesOption,
    nodeOtlpOption,
    logLevelOption,
    logFormatOption,
    replayOption,
    speedOption,
    noOpenOption,
    onceOption,
  ],
  examples: [
    { line: 'plimsoll up', meaning: 'the dashboard at http://127.0.0.1:4180' },
    {
      line: 'plimsoll up --http 0.0.0.0:4180',
      meaning: 'also for other machines, protected by a one-time code',
    },
    { line: 'plimsoll up --http 127.0.0.1:0 --home /tmp/try', meaning: 'any free port, a home of its own' },
    { line: 'plimsoll up --replay desk.plimsoll', meaning: 'a recording, read-only' },
    { line: 'plimsoll up --once', meaning: 'what this machine is, on one screen' },
  ],
  run: async (invocation, state) => {
    state.keepYoungGenerationSmall();
    const isOnce = invocation.option(onceOption);
    const replayed = invocation.option(replayOption);
    const speed = invocation.option(speedOption);
    if (replayed !== undefined) {
      if (isOnce) throw contradiction('--once and --replay', 'Replays a recording until Ctrl-C.');
      refuseSecond(
        '--replay',
        givenOf(invocation, OF_A_NODE),
        'A recording has names, nodes and figures of its own.',
      );
      return await showReplay(replayed, speed ?? 1, invocation, state);
    }
    if (speed !== undefined)
      throw contradiction('--speed without --replay', 'Write: plimsoll up --replay FILE --speed 10');
    if (invocation.option(meshOption) === 'off')
      refuseSecond('--mesh off', givenOf(invocation, OF_A_MESH), 'Without a mesh there are no peers.');
    const home = resolveHome({ ...state, option: invocation.option(homeOption) });
    const discovery = invocation.option(discoveryOption);
    const { startDaemonFor } = await loadDaemon();
    await using daemon = await startDaemonFor(state, {
      home,
      http: listenAddress(invocation),
      name: invocation.option(nameOption),
      mesh: {
        keyFile: absolute(invocation.option(keyFileOption), state.cwd),
        listen: invocation.option(meshOption),
        peers: invocation.option(peerOption),
        ...(discovery === undefined ? {} : { discovery }),
      },
      // One look at the machine measures nothing, and sends nothing.
      otlpEndpoint: isOnce ? undefined : invocation.option(nodeOtlpOption),
      probes: isOnce ? undefined : { nodePath: state.nodePath, mode: invocation.option(probesOption) },
      // A single look prints notices on the terminal; a daemon has a log for them.
      onNotice: notice => void (isOnce && state.stderr.write(terminalText(notice))),
      logOutput: isOnce
        ? undefined
        : {
            write: line => void state.stderr.write(line),
            level: invocation.option(logLevelOption),
            format: invocation.option(logFormatOption),
            isTerminal: state.stderr.isTerminal,
          },
    });
    await daemon.whenFirstReadings(AbortSignal.any([state.stop, AbortSignal.timeout(FIRST_READINGS_MS)]));
    if (isOnce) state.stop.throwIfAborted();
    else if (state.stop.aborted) return await untilStopped(daemon);
    await printSummary(daemon, state);
    if (isOnce) return EXIT_CODES.ok.code;
    await using service = serviceNotify({
      env: state.env,
      stop: state.stop,
      clock: systemClock,
      onUnreported: reason =>
        daemon.log.write('service-manager', {
          problem: 'systemd gets no signs of life from this daemon',
          reason,
        }),
    });
    const unreported = await service.ready(`Dashboard at ${daemon.dashboardUrl}`);
    if (unreported !== undefined)
      daemon.log.write('service-manager', {
        problem: 'systemd was not notified that this daemon is ready',
        reason: unreported,
      });
    await showDashboard(daemon, { home, isToBeOpened: !invocation.option(noOpenOption) }, state);
    return await untilStopped(daemon);
  },
};

const showReplay = async (
  file: string,
  speed: number,
  invocation: Invocation,
  state: ProcessState,
): Promise<ExitCode> => {
  const { runReplay } = await loadReplay();
  const onStarted = async (served: ServedDashboard): Promise<void> => {
    await state.stdout.write('A recording, read-only.\n');
    const isToBeOpened = !invocation.option(noOpenOption);
    await showDashboard(served, { home: undefined, isToBeOpened }, state);
  };
  await runReplay(state, { file, speed, http: listenAddress(invocation), onStarted });
  return EXIT_CODES.ok.code;
};

const OF_A_MESH = [peerOption, discoveryOption, keyFileOption] as const;
const OF_A_NODE = [
  nameOption,
  meshOption,
  probesOption,
  nodeOtlpOption,
  logLevelOption,
  logFormatOption,
  ...OF_A_MESH,
] as const;

const givenOf = (invocation: Invocation, options: typeof OF_A_NODE | typeof OF_A_MESH): readonly string[] =>
  options.flatMap(option => {
    const given: unknown = invocation.option<unknown>(option);
    return given === undefined || (Array.isArray(given) && given.length === 0) ? [] : [`--${option.name}`];
  });

const refuseSecond = (what: string, [first]: readonly string[], advice: string): void => {
  if (first !== undefined) throw contradiction(`${first} and ${what}`, advice);
};

const contradiction = (what: string, advice: string): CommandError =>
  new CommandError('usage', `${what} cannot be combined`, advice);

const absolute = (path: string | undefined, cwd: string): string | undefined =>
  path === undefined ? undefined : resolve(cwd, path);

/**
 * Loaded on demand because other commands need neither the journal nor the server, and not next to an `await using`:
 * TypeScript 6.0 does not rewrite the path there.
 */
const loadDaemon = () => import('../daemon-start.ts');
const loadReplay = () => import('../replay.ts');

/** A daemon that was asked to stop and did has done what it should. */
const untilStopped = async (daemon: Daemon): Promise<ExitCode> => {
  await daemon.stopped;
  return EXIT_CODES.ok.code;
};

const printSummary = async (daemon: Daemon, { stdout }: ProcessState): Promise<void> => {
  const { columns, hasColor, isUnicode } = stdout;
  const lines = renderSummary(daemon.state, daemon.nodeId, daemon.nowMs(), {
    columns,
    color: hasColor,
    isUnicode,
  });
  await stdout.write(`${lines.join('\n')}\n`);
};

/** A source that takes longer shows "measuring" on the summary; the page fills in later. */
const FIRST_READINGS_MS = 5_000;
