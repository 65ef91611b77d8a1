// Every command, in the order in which help lists them, by its first word. A command loads what it needs and no more: a
// daemon runs for weeks and need not hold the code of the benchmark and of the terminal's tables.

import { COMMAND_WORDS, type Command, type CommandWord } from './command.ts';

/** Those that begin with the first word, as a command line is read by; all of them where none does. */
export const commandsFor = async ([word]: readonly string[]): Promise<readonly Command[]> => {
  const known = COMMAND_WORDS.find(first => first === word);
  return known === undefined ? await allCommands() : await GROUPS[known]();
};

export const allCommands = async (): Promise<readonly Command[]> =>
  (await Promise.all(COMMAND_WORDS.map(word => GROUPS[word]()))).flat();

const GROUPS: Readonly<Record<CommandWord, () => Promise<readonly Command[]>>> = {
  up: async () => [(await import('./commands/up.ts')).upCommand],
  status: async () => [(await import('./commands/status.ts')).statusCommand],
  top: async () => [(await import('./commands/top.ts')).topCommand],
  open: async () => [(await import('./commands/open.ts')).openCommand],
  bench: async () => [(await import('./commands/bench.ts')).benchCommand],
  sweep: async () => [(await import('./commands/sweep.ts')).sweepCommand],
  line: async () => [(await import('./commands/line.ts')).lineCommand],
  compare: async () => [(await import('./commands/compare.ts')).compareCommand],
  dataset: async () => (await import('./commands/dataset.ts')).DATASET_COMMANDS,
  capture: async () => [(await import('./commands/capture.ts')).captureCommand],
  calibrate: async () => [(await import('./commands/calibrate.ts')).calibrateCommand],
  baseline: async () => (await import('./commands/baseline.ts')).BASELINE_COMMANDS,
  agent: async () => [(await import('./commands/agent.ts')).agentCommand],
  watch: async () => [(await import('./commands/watch.ts')).watchCommand],
  report: async () => [(await import('./commands/report.ts')).reportCommand],
  import: async () => [(await import('./commands/import.ts')).importCommand],
  rerun: async () => [(await import('./commands/rerun.ts')).rerunCommand],
  runs: async () => {
    const runs = await import('./commands/runs.ts');
    return [runs.runsCommand, runs.runsRmCommand];
  },
  why: async () => [(await import('./commands/why.ts')).whyCommand],
  headroom: async () => [(await import('./commands/headroom.ts')).headroomCommand],
  probe: async () => (await import('./commands/probe.ts')).PROBE_COMMANDS,
  survey: async () => [(await import('./commands/survey.ts')).surveyCommand],
  wire: async () => [(await import('./commands/wire.ts')).wireCommand],
  mock: async () => [(await import('./commands/mock.ts')).mockCommand],
  demo: async () => [(await import('./commands/demo.ts')).demoCommand],
  record: async () => [(await import('./commands/record.ts')).recordCommand],
  doctor: async () => [(await import('./commands/doctor.ts')).doctorCommand],
  accept: async () => [(await import('./commands/accept.ts')).acceptCommand],
  forget: async () => [(await import('./commands/forget.ts')).forgetCommand],
  key: async () => {
    const key = await import('./commands/key.ts');
    return [
      key.keyNewCommand,
      key.keyShowCommand,
      key.keyImportCommand,
      key.keyRotateCommand,
      key.keyDropOldCommand,
    ];
  },
  join: async () => [(await import('./commands/join.ts')).joinCommand],
  leave: async () => [(await import('./commands/join.ts')).leaveCommand],
  fleet: async () => (await import('./commands/fleet.ts')).FLEET_COMMANDS,
  config: async () => {
    const config = await import('./commands/config.ts');
    return [config.configPathCommand, config.configShowCommand, config.configCheckCommand];
  },
  schema: async () => [(await import('./commands/schema.ts')).schemaCommand],
  mcp: async () => [(await import('./commands/mcp.ts')).mcpCommand],
  service: async () => (await import('./commands/service.ts')).SERVICE_COMMANDS,
  completion: async () => [(await import('./commands/completion.ts')).completionCommand(allCommands)],
  man: async () => [(await import('./commands/completion.ts')).manCommand(allCommands)],
};
