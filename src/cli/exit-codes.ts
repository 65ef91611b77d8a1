// Every code that a command ends with, also for the table of docs/cli.md. 10 to 29 belong to `plimsoll bench`.

export const EXIT_CODES = {
  ok: { code: 0, meaning: 'Done. Also a daemon or a watch that was stopped on request.' },
  failure: { code: 1, meaning: 'Something failed unexpectedly; see the message.' },
  usage: { code: 2, meaning: 'The command line is wrong: unknown command or option, bad value.' },
  badConfig: {
    code: 3,
    meaning:
      '`config check` or `config show` found something wrong, or `agent` its caps, or `accept` its plan.',
  },
  homeInUse: { code: 4, meaning: 'Another daemon uses this home.' },
  noDaemon: { code: 5, meaning: 'No daemon answers for this home, or it refuses the request.' },
  addressInUse: { code: 6, meaning: 'The address to listen on is taken or cannot be used.' },
  homeUnusable: {
    code: 7,
    meaning: 'The home cannot be used: no permission, not private, not a folder, damaged.',
  },
  unhealthy: { code: 8, meaning: '`doctor` found something wrong.' },
  clusterKey: {
    code: 9,
    meaning:
      '`key`, `join`, `leave`: the cluster key is missing, damaged, or there already; the code no longer works.',
  },
  benchFailures: {
    code: 10,
    meaning:
      '`bench`: more requests failed than `--max-failures` allows, or nothing succeeded in the last part of the run.',
  },
  benchObjectives: { code: 11, meaning: '`bench`: an objective of `--slo` was missed.' },
  benchIncomplete: {
    code: 12,
    meaning:
      '`bench`, `report`, `sweep`: the report is not complete: something was lost. Its first lines state what.',
  },
  benchInterrupted: {
    code: 13,
    meaning:
      '`bench`, `report`, `sweep`: stopped by Ctrl-C, SIGTERM or on the dashboard; the report counts what was done until then.',
  },
  benchClientBound: {
    code: 14,
    meaning: '`bench`, `sweep` with `--require-trustworthy`: this machine, not the server, was the limit.',
  },
  benchInput: {
    code: 15,
    meaning:
      '`bench`, `sweep`, `import`, `why`: a data set, header file, key file, file of stages or result of another tool cannot be used.',
  },
  benchUnreachable: {
    code: 16,
    meaning: '`bench`, `sweep`: the target cannot be reached, or does not report its model.',
  },
  benchRunDirectory: {
    code: 17,
    meaning:
      '`bench`, `report`, `sweep`, `why`, `runs rm`: the run directory cannot be used, or is not empty where a new one is needed.',
  },
  benchWorse: { code: 18, meaning: '`compare`: B is worse, or a rule of `--fail-if` is broken.' },
  benchUndecided: {
    code: 19,
    meaning:
      '`compare`: undecided: more pairs or runs would be needed; the result states how many. With rules: `--fail-if-undecided`.',
  },
  benchNotComparable: {
    code: 20,
    meaning:
      '`compare`, `why`: A and B cannot be compared: another model or server, other lengths, the client in the way, too few runs.',
  },
  benchTooFew: {
    code: 21,
    meaning:
      '`bench`, `line`: too few requests to decide whether an objective of `--slo` is met, or where the line is; `bench`: all were cancelled after `--grace`.',
  },
  benchNoLoad: {
    code: 22,
    meaning: '`line`: not even one request or session at a time meets the objectives.',
  },
  benchStopped: {
    code: 23,
    meaning:
      '`bench`, `sweep`, `line`, `compare`, `report`: stopped because requests failed: refused warm-up, no success for 30 s, or `--stop-when`.',
  },
  probeFailed: { code: 30, meaning: '`probe`: something could not be measured; the output states why.' },
  recording: {
    code: 31,
    meaning:
      '`record`, `survey`, `capture`, `up --replay`: the recording cannot be written, read or understood.',
  },
  service: {
    code: 32,
    meaning: '`service`: it is not installed or does not run, or the service manager is missing or refuses.',
  },
  fleet: {
    code: 33,
    meaning: '`fleet`: the folder of the fleet cannot be used, or its server does not do what is requested.',
  },
  notAccepted: { code: 34, meaning: '`accept`: a check failed; the report names each.' },
  acceptUndecided: {
    code: 35,
    meaning: '`accept`: no check failed, but some cannot be judged; the report states why.',
  },
  surveyIncomplete: {
    code: 36,
    meaning: '`survey`: a machine could not be read, or a link not be measured; the output states why.',
  },
  warnings: {
    code: 37,
    meaning: '`status --fail-on`: the cluster has a warning of that level or a more serious one.',
  },
  hangup: { code: 129, meaning: 'Stopped by SIGHUP before it had finished.' },
  interrupted: { code: 130, meaning: 'Stopped by SIGINT (Ctrl-C) before it had finished.' },
  terminated: { code: 143, meaning: 'Stopped by SIGTERM before it had finished.' },
} as const;

export type ExitName = keyof typeof EXIT_CODES;
export type ExitCode = (typeof EXIT_CODES)[ExitName]['code'];
