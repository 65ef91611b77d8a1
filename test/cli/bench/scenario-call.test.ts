import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BENCH } from '../../../src/cli/bench/bench-options.ts';
import { REPLAY } from '../../../src/cli/bench/replay-options.ts';
import type { ScenarioCall } from '../../../src/cli/bench/scenario-call.ts';
import { scenarioCall } from '../../../src/cli/bench/scenario-option.ts';
import { CommandError } from '../../../src/cli/command-error.ts';
import { parseCommandLine } from '../../../src/cli/command-line.ts';
import { benchCommand } from '../../../src/cli/commands/bench.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const called = async (words: readonly string[], cwd = '/'): Promise<ScenarioCall> => {
  const line = parseCommandLine(['bench', 'http://127.0.0.1:8000', ...words], [benchCommand]);
  if (line.kind !== 'run') throw new Error('no run');
  return await scenarioCall(line.invocation, { args: line.args, cwd }, benchCommand);
};

const refusal = async (words: readonly string[], cwd?: string): Promise<CommandError['problem']> => {
  try {
    await called(words, cwd);
  } catch (error) {
    if (error instanceof CommandError) return error.problem;
    throw error;
  }
  throw new Error('it was not refused');
};

const AGENTX = ['--scenario', 'agentx', '--trace', 't.jsonl'];

describe('--scenario agentx', () => {
  test('sets the options of AgentX', async () => {
    const { scenario, invocation } = await called(AGENTX);
    expect(scenario?.name).toBe('agentx');
    const { option } = invocation;
    expect([option(BENCH.duration), option(REPLAY.startAt)]).toEqual([1_800_000, { from: 0, to: 1 }]);
    expect([option(REPLAY.prime), option(REPLAY.recycle)]).toEqual([true, true]);
    expect([option(REPLAY.longestIdle), option(REPLAY.nonceOf)]).toEqual([10_000, 'session']);
  });

  test('leaves what the command line has as it is, and what that excludes out', async () => {
    const longer = await called([...AGENTX, '--duration=1h', '--start-at', '25%..75%']);
    expect(longer.invocation.option(BENCH.duration)).toBe(3_600_000);
    expect(longer.invocation.option(REPLAY.startAt)).toEqual({ from: 0.25, to: 0.75 });
    const { invocation: open } = await called([...AGENTX, '--rate', '3']);
    expect([open.option(REPLAY.prime), open.option(REPLAY.longestIdle)]).toEqual([false, undefined]);
    const { invocation: few } = await called([...AGENTX, '--sessions', '3']);
    expect([few.option(BENCH.duration), few.option(REPLAY.recycle)]).toEqual([undefined, false]);
  });

  test('needs a trace, and the advice is how to give one', async () => {
    expect(await refusal(['--scenario', 'agentx'])).toMatchObject({
      problem: '--scenario agentx replays a trace of agents, and --trace is not given',
    });
  });

  test('misspelt is refused with what was meant', async () => {
    expect(await refusal(['--scenario', 'agentz', '--trace', 't'])).toMatchObject({
      advice: 'Did you mean agentx?',
    });
  });

  test('without it nothing changes', async () => {
    const { scenario, invocation } = await called([]);
    expect(scenario).toBeUndefined();
    expect(invocation.option(BENCH.duration)).toBeUndefined();
  });
});

describe('--scenario FILE', () => {
  const fileCall = async (
    name: string,
    text: string,
    more: readonly string[] = [],
  ): Promise<ScenarioCall> => {
    using folder = temporaryDirectory();
    writeFileSync(join(folder.path, name), text);
    return await called(['--scenario', name, ...more], folder.path);
  };

  test.each([
    ['own.toml', 'name = "own"\n[options]\nconcurrency = 3\n[rules]\nfailures = "1%"\n'],
    ['own.yaml', 'name: own\noptions:\n  concurrency: 3\nrules:\n  failures: 1%\n'],
    ['own.json', '{"name": "own", "options": {"concurrency": 3}, "rules": {"failures": "1%"}}'],
  ])('reads %s', async (name, text) => {
    const { scenario, invocation } = await fileCall(name, text);
    expect(scenario).toMatchObject({ name: 'own', rules: { failures: 0.01 } });
    expect(invocation.option(BENCH.concurrency)).toBe(3);
  });

  test.each([
    [
      'a rule that is misspelt',
      'name = "x"\n[rules]\ndurations = "15m"\n',
      'own.toml: "durations" is not a rule',
    ],
    [
      'an option that is misspelt',
      'name = "x"\n[options]\nconcurency = 3\n',
      '"concurency" is not an option',
    ],
    [
      'a value that its option does not have',
      'name = "x"\n[options]\nconcurrency = "many"\n',
      '--concurrency',
    ],
    [
      'a secret',
      'name = "x"\n[options]\napi-key-file = "/etc/passwd"\n',
      'api-key-file is not a part of a scenario',
    ],
    ['a file', 'name = "x"\n[options]\ndataset = "/etc/passwd"\n', 'dataset is not a part of a scenario'],
    ['a place', 'name = "x"\n[options]\nout = "/tmp/x"\n', 'out is not a part of a scenario'],
    ['a line that is not TOML', 'name = \n', 'line 1'],
  ])('with %s is refused, and names it', async (_, text, problem) => {
    const reported = await fileCall('own.toml', text).catch((error: unknown) => error);
    expect(reported).toBeInstanceOf(CommandError);
    expect(String(reported)).toContain(problem);
    expect(String(reported)).toContain('own.toml');
  });
});
