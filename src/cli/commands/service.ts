// `plimsoll service install|status|logs|uninstall`: the daemon kept running by the machine's own service manager.

import { mkdir, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { resolveHome } from '../../config/home.ts';
import { parsed, wrong } from '../../core/figure/parse-figure.ts';
import { flag, type Option, value } from '../../core/option/option.ts';
import { errorCode, shortReason } from '../../core/problem.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { jsonLines } from '../../core/text/single-line.ts';
import { writeFileAtomic } from '../../process/atomic-file.ts';
import { ToolError } from '../../process/child.ts';
import { readInputText } from '../../process/input-file.ts';
import { type Command, homeOption, type Invocation, jsonOption } from '../command.ts';
import { CommandError, endedBy } from '../command-error.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { ProcessState } from '../process-state.ts';
import { launchdManager } from '../service/launchd-manager.ts';
import {
  installedService,
  isHome,
  type ServiceDocument,
  type ServiceManager,
  type ServicePlan,
  type ServiceState,
  servicePlan,
} from '../service/service-plan.ts';
import { systemdManager } from '../service/systemd-manager.ts';

const userOption = flag(
  'user',
  "A service of your session, not of the machine: your home, your user's rights.",
);
const printOption = flag('print', 'Print what would be written, and do nothing.');
const purgeOption = flag('purge', 'Delete its home as well: identity, journal, keys, runs.');
const followOption = flag('follow', 'Follow new lines until Ctrl-C.');
const linesOption: Option<number | undefined> = value({
  name: 'lines',
  valueName: 'N',
  meaning: `How many lines from the end. Default: 50.`,
  parse: text => {
    const count = Number(text);
    return /^\d+$/.test(text) && count <= LOG_LINES_MAX
      ? parsed(count)
      : wrong(`${text} is not a number of lines`, `From 0 to ${LOG_LINES_MAX}.`);
  },
});

const installCommand: Command = {
  name: 'service install',
  summary: 'Keep the daemon running: from now on, and after a restart of the machine',
  description:
    'Writes a unit of systemd, or an agent of launchd, and starts it. Installing again replaces it, for example after\nan upgrade. The home and its config.toml stay as they are.',
  arguments: [],
  options: [userOption, printOption, homeOption],
  examples: [
    { line: 'plimsoll service install --user', meaning: 'for the session of the logged-in user' },
    { line: 'sudo plimsoll service install', meaning: 'for the machine, with a user of its own' },
    { line: 'plimsoll service install --print', meaning: 'shows the unit' },
  ],
  run: async (invocation, state) => {
    const { plan, manager } = serviceOf(invocation, state);
    const text = await manager.text();
    if (invocation.option(printOption)) {
      await state.stdout.write(text);
      return EXIT_CODES.ok.code;
    }
    await installService({ plan, manager }, text);
    await manager.start();
    await state.stdout.write(`${await sentenceOf(plan, manager)}\nIts file: ${plan.file}\n`);
    await state.stdout.write(`The dashboard: ${shellCommand`${program(plan)} open --home ${plan.home}`}\n`);
    return EXIT_CODES.ok.code;
  },
};

const statusCommand: Command = {
  name: 'service status',
  summary: 'Show whether the service is running',
  description: '',
  arguments: [],
  options: [userOption, homeOption, jsonOption],
  prints: ['service'],
  examples: [{ line: 'plimsoll service status --user', meaning: '' }],
  run: async (invocation, state) => {
    const { plan, manager } = serviceOf(invocation, state);
    const home = await needsService(plan);
    const found = await manager.state();
    const { name, scope, file } = plan;
    const document: ServiceDocument = {
      schema: 'plimsoll.service/1',
      manager: plan.manager,
      name,
      scope,
      file,
      home,
      ...found,
    };
    await state.stdout.write(
      invocation.option(jsonOption)
        ? jsonLines(document)
        : `${stateLines({ ...plan, home }, found).join('\n')}\n`,
    );
    return found.isRunning ? EXIT_CODES.ok.code : EXIT_CODES.service.code;
  },
};

const logsCommand: Command = {
  name: 'service logs',
  summary: 'Print the log of the service',
  description: '',
  arguments: [],
  options: [userOption, linesOption, followOption, homeOption],
  examples: [{ line: 'plimsoll service logs --user --follow', meaning: 'until Ctrl-C' }],
  run: async (invocation, state) => {
    const { plan, manager } = serviceOf(invocation, state);
    await needsService(plan);
    try {
      for await (const line of manager.log(
        invocation.option(linesOption) ?? LOG_LINES,
        invocation.option(followOption),
      )) {
        if (state.stdout.closed.aborted) break;
        await state.stdout.write(`${line}\n`);
      }
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      if (error.problem.code !== 'exited' || error.problem.exitCode !== 0) throw endedBy('service', error);
    }
    return EXIT_CODES.ok.code;
  },
};

const uninstallCommand: Command = {
  name: 'service uninstall',
  summary: 'Stop the service and remove it; its home stays',
  description: '',
  arguments: [],
  options: [userOption, purgeOption, homeOption],
  examples: [
    { line: 'plimsoll service uninstall --user', meaning: 'the home stays, for another install' },
    { line: 'sudo plimsoll service uninstall --purge', meaning: 'nothing stays' },
  ],
  run: async (invocation, state) => {
    const { plan, manager } = serviceOf(invocation, state);
    const home = await needsService(plan);
    const isPurged = invocation.option(purgeOption);
    if (isPurged && !(await isHome(home)))
      throw new CommandError(
        'service',
        `${home} does not look like a home of Plimsoll, and is not deleted`,
        'Run it without --purge, and look at the folder yourself.',
      );
    await manager.stop();
    await changing(plan.file, rm(plan.file));
    await manager.forget();
    if (isPurged) await changing(home, rm(home, { recursive: true, force: true }));
    await state.stdout.write(
      isPurged
        ? `Removed ${plan.name} and its home ${home}.\n`
        : `Removed ${plan.name}. Its home stays: ${home}\n`,
    );
    return EXIT_CODES.ok.code;
  },
};

export const SERVICE_COMMANDS: readonly Command[] = [
  installCommand,
  statusCommand,
  logsCommand,
  uninstallCommand,
];

interface Service {
  readonly plan: ServicePlan;
  readonly manager: ServiceManager;
}

const serviceOf = (invocation: Invocation, state: ProcessState): Service => {
  const given = invocation.option(homeOption);
  const configFolder = state.env['XDG_CONFIG_HOME'];
  const plan = servicePlan(
    {
      isUser: invocation.option(userOption),
      home: given === undefined ? undefined : resolve(state.cwd, given),
      usualHome: resolveHome({ ...state, option: undefined }),
    },
    { ...state, configFolder: configFolder === '' ? undefined : configFolder },
  );
  if (plan.kind === 'wrong') throw new CommandError('service', plan.problem, plan.advice);
  const tools = { env: state.env, signal: state.stop };
  return {
    plan: plan.value,
    manager:
      plan.value.manager === 'systemd'
        ? systemdManager(plan.value, tools)
        : launchdManager(plan.value, state.userId ?? 0, tools),
  };
};

/** All of it or nothing: where the manager refuses the file, what was there before is there again. */
const installService = async ({ plan, manager }: Service, text: string): Promise<void> => {
  const there = await installedService(plan.file);
  if (there.kind !== 'none') await needsService(plan);
  await manager.check();
  const before = there.kind === 'none' ? undefined : await readInputText(plan.file, 'homeFile');
  await changing(plan.file, mkdir(dirname(plan.file), { recursive: true }));
  await changing(plan.file, writeFileAtomic(plan.file, text, { mode: 0o644 }));
  try {
    await manager.enable();
  } catch (error) {
    await changing(
      plan.file,
      before === undefined ? rm(plan.file) : writeFileAtomic(plan.file, before, { mode: 0o644 }),
    );
    // Only what it has read of the file is at stake: the refusal is what counts.
    await manager.forget().catch(() => undefined);
    throw error;
  }
};

const changing = async (path: string, change: Promise<unknown>): Promise<void> => {
  try {
    await change;
  } catch (error) {
    const isDenied = ['EACCES', 'EPERM'].includes(errorCode(error) ?? '');
    throw new CommandError(
      'service',
      `${path} cannot be changed: ${shortReason(error)}`,
      isDenied ? 'Run it as root, or add --user.' : 'Fix that, then run it again.',
      { cause: error },
    );
  }
};

/** @returns the home that it serves. */
const needsService = async ({ file, scope }: ServicePlan): Promise<string> => {
  const found = await installedService(file);
  if (found.kind === 'ours') return found.home;
  throw found.kind === 'none'
    ? new CommandError(
        'service',
        `no service is installed for this ${scope === 'user' ? 'user' : 'machine'}`,
        `Install it: ${shellCommand`plimsoll service install ${scope === 'user' ? ['--user'] : []}`}. Looked at ${file}.`,
      )
    : new CommandError(
        'service',
        `${file} was not written by plimsoll`,
        'It is left alone. Look at it, and move it away if it is not needed.',
      );
};

const sentenceOf = async (plan: ServicePlan, manager: ServiceManager): Promise<string> =>
  stateLines(plan, await manager.state())[0] ?? '';

const stateLines = ({ name, home, file }: ServicePlan, state: ServiceState): readonly string[] => [
  `${name}: ${state.state}${state.pid === undefined ? '' : `, process ${state.pid}`}${state.restarts === undefined || state.restarts === 0 ? '' : `, restarted ${state.restarts} ×`}`,
  ...(state.status === '' ? [] : [state.status]),
  `starts by itself: ${state.startsByItself ? 'yes' : 'no'}`,
  `home: ${home}`,
  `file: ${file}`,
];

/** Of the machine's service only root reads the home. */
const program = ({ scope }: ServicePlan): readonly string[] =>
  scope === 'system' ? ['sudo', 'plimsoll'] : ['plimsoll'];

const LOG_LINES = 50;
const LOG_LINES_MAX = 100_000;
