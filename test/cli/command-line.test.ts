import { describe, expect, test } from 'vitest';
import { FIRST_COMMANDS, homeOption, httpOption } from '../../src/cli/command.ts';
import { parseCommandLine } from '../../src/cli/command-line.ts';
import { faultsOption } from '../../src/cli/commands/demo.ts';
import { allCommands } from '../../src/cli/commands.ts';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { nonEmpty, repeated } from '../../src/core/option/option.ts';
import { madeUpProcess } from '../support/made-up-process.ts';

const COMMANDS = await allCommands();

/** What a wrong command line prints, and that it ends with 2. */
const refusal = async (...args: string[]): Promise<string> => {
  const { run, stderr, stdout } = madeUpProcess(args);
  expect(await run()).toBe(EXIT_CODES.usage.code);
  expect(stdout.text).toBe('');
  expect(stderr.text.trimEnd().split('\n')).toHaveLength(2);
  return stderr.text;
};

const invocation = (...args: string[]) => {
  const line = parseCommandLine(args, COMMANDS);
  if (line.kind !== 'run') throw new Error(`${line.kind} instead of a command`);
  return line.invocation;
};

describe('a command line', () => {
  test('without a command prints the list of commands', async () => {
    const { run, stdout } = madeUpProcess([]);
    expect(await run()).toBe(0);
    for (const name of FIRST_COMMANDS) expect(stdout.text).toContain(name);
  });

  test('asks for the version', async () => {
    const { run, stdout } = madeUpProcess(['--version']);
    expect(await run()).toBe(0);
    expect(stdout.text).toBe('1.2.3\n');
  });

  test.each(COMMANDS.map(({ name, options }) => [name, options] as const))(
    'asks for the help of %s, with options and examples',
    async (name, options) => {
      for (const args of [
        [...name.split(' '), '--help', 'all'],
        ['help', ...name.split(' '), 'all'],
        [...name.split(' '), '--home', 'x', '-h', 'all'],
        [...name.split(' '), '--bananas', 'one', 'two', '--home', '--help', 'all'],
      ]) {
        const { run, stdout } = madeUpProcess(args);
        expect(await run()).toBe(0);
        expect(stdout.text).toMatch(new RegExp(`^Usage: plimsoll ${name}`));
        for (const { name: option } of options) expect(stdout.text).toContain(`--${option}`);
        expect(stdout.text).toContain('Examples:');
      }
    },
  );

  test('asks for the help of a group', async () => {
    for (const args of [
      ['config', '--help'],
      ['config', '-h'],
      ['help', 'config'],
    ]) {
      const { run, stdout } = madeUpProcess(args);
      expect(await run()).toBe(0);
      expect(stdout.text).toContain('config show');
      expect(stdout.text).not.toContain('doctor');
    }
  });

  test('with an unknown command gets the nearest one', async () => {
    expect(await refusal('statsu')).toBe('plimsoll: unknown command statsu\nDid you mean: plimsoll status\n');
    expect(await refusal('config', 'chekc')).toContain('Did you mean: plimsoll config check');
    expect(await refusal('config')).toContain('config needs a subcommand');
    expect(await refusal('bananas')).toContain('See: plimsoll --help');
  });

  test('with an unknown option gets the nearest one', async () => {
    expect(await refusal('up', '--hmoe', 'x')).toContain('Did you mean --home?');
    expect(await refusal('status', '--jason')).toContain('Did you mean --json?');
    expect(await refusal('up', '--bananas')).toContain('See: plimsoll up --help all');
    expect(await refusal('bench', '--bananas')).toContain('plimsoll bench --like');
    expect(await refusal('bench', '--nmu-prompts')).toContain('Did you mean --num-prompts?');
    expect(await refusal('--versoin')).toContain('Did you mean --version?');
    expect(await refusal('--json', 'status')).toContain('Write it after: plimsoll status --json');
    expect(await refusal('up', '-x')).toContain('unknown option -x');
  });

  test('with a value that is missing, empty, double, wrong or too much is refused', async () => {
    expect(await refusal('up', '--home')).toContain('--home needs a value');
    expect(await refusal('up', '--home', '--once')).toContain('--home=VALUE');
    expect(await refusal('up', '--home=')).toContain('the value is empty');
    expect(await refusal('up', '--home', 'a', '--home', 'b')).toContain('given twice');
    expect(await refusal('up', '--once=yes')).toContain('takes no value');
    expect(await refusal('up', '--http', ':4180')).toContain('127.0.0.1:4180');
    expect(await refusal('up', '--http', '::1:4180')).toContain('[::1]:4180');
    expect(await refusal('up', '--peer', 'atlas', '--peer', 'foo bar')).toContain(
      '"foo bar" is not the address of a peer\nWrite a name or an address, with :PORT',
    );
    expect(await refusal('up', '--peer', 'atlas:0')).toContain('no peer can be reached at port 0');
    expect(await refusal('up', 'now')).toContain('is not expected');
    expect(await refusal('config', 'check', 'a', 'b')).toContain('b is not expected');
    for (const command of ['sweep', 'line'])
      expect(await refusal(command, 'http://one', 'http://two')).toContain(
        `plimsoll ${command} takes one URL, and http://two is one more\nLoad one URL at a time`,
      );
  });

  test('gives an option a value that begins with a dash where it is written with =, and reports it where not', async () => {
    expect(await refusal('demo', '--seed', '-5')).toBe(
      'plimsoll: --seed needs a value\nWrite: --seed N, or --seed=VALUE if it begins with a dash\n',
    );
    expect(await refusal('up', '--home', '--')).toContain('--home needs a value');
    expect(invocation('up', '--home=-5').option(homeOption)).toBe('-5');
    expect(invocation('up', '--home=--once').option(homeOption)).toBe('--once');
  });

  test('reads an option that has a value of its own where none follows', () => {
    const read = (...args: string[]) => invocation('demo', ...args).option(faultsOption);
    expect(read()).toBeUndefined();
    expect([read('--faults'), read('--faults', '--no-open')]).toEqual(['all', 'all']);
    expect([read('--faults', 'off'), read('--faults=on')]).toEqual(['none', 'typical']);
  });

  test('refuses machines for the demo that has its own, and faults that are neither on, off nor all', async () => {
    expect(await refusal('demo', '--faults', '--nodes', '4')).toContain('Leave out --nodes');
    expect(await refusal('demo', '--faults', 'some')).toContain('"some" is neither on, off nor all');
  });

  test('does not suggest the option that was given', async () => {
    expect(await refusal('up', '--help=x')).toContain('--help takes no value');
  });

  test('with an empty argument is refused, which else would mean the folder one is in', async () => {
    expect(await refusal('config', 'check', '')).toContain('FILE is empty');
    expect(await refusal('report', ' ')).toContain('DIR is empty');
  });

  test('takes a lone dash for a value, and nothing after -- for an option', async () => {
    expect(invocation('up', '--home', '-').option(homeOption)).toBe('-');
    expect(invocation('key', 'import', '-').arguments).toEqual(['-']);
    expect(invocation('config', 'check', '--home', 'x', '--', '--help').arguments).toEqual(['--help']);
    expect(await refusal('config', 'check', '--', 'a', '--', 'b')).toContain('-- is not expected');
  });

  test('shows a word that is no option as it was written', async () => {
    expect(await refusal('up', '-abc')).toContain('unknown option -abc');
    expect(await refusal('up', '-5')).toContain('unknown option -5');
    expect(await refusal('up', '--=x')).toContain('unknown option --');
    expect(await refusal('up', '--__proto__=x')).toContain('unknown option --__proto__\n');
    expect(await refusal('up', '--bananas=-x')).toContain('unknown option --bananas\n');
    expect(await refusal('-x')).toContain('unknown option -x');
  });

  test('never sends what somebody typed to the terminal as an order', async () => {
    expect(await refusal('\u001b[2J')).not.toContain('\u001b');
    expect(await refusal('up', '--\u001b]0;x\u0007')).not.toContain('\u001b');
    expect((await refusal('x'.repeat(10_000))).length).toBeLessThan(200);
  });

  test('gives options their values, written either way, in any order', () => {
    expect(invocation('up', '--http', '[::1]:0', '--home=a=b').option(httpOption)).toEqual({
      host: '::1',
      port: 0,
    });
    expect(invocation('up', '--http', '[::1]:0', '--home=a=b').option(homeOption)).toBe('a=b');
    expect(invocation('up').option(homeOption)).toBeUndefined();
    expect(invocation('config', 'check', '--', '--odd-name').arguments).toEqual(['--odd-name']);
  });

  test('may repeat an option that is made for it', () => {
    const peer = repeated({ name: 'peer', valueName: 'ADDR', meaning: '', parse: nonEmpty });
    const [first] = COMMANDS;
    if (first === undefined) throw new Error('no commands');
    const line = parseCommandLine(['up', '--peer', 'a', '--peer=b'], [{ ...first, options: [peer] }]);
    expect(line.kind === 'run' && line.invocation.option(peer)).toEqual(['a', 'b']);
  });
});

describe('what nobody foresaw', () => {
  test('is printed with its stack and ends with 1', async () => {
    const { run, stderr } = madeUpProcess(['up']);
    const [up] = COMMANDS;
    if (up === undefined) throw new Error('no commands');
    const broken = { ...up, run: () => Promise.reject(new TypeError('a bug')) };
    expect(await run([broken])).toBe(1);
    expect(stderr.text).toMatch(/should not have happened[\s\S]*TypeError: a bug\n\s+at /);
  });

  test('is distinguished from being stopped, which ends with the code of the signal', async () => {
    const [up] = COMMANDS;
    if (up === undefined) throw new Error('no commands');
    const process = madeUpProcess(['up']);
    const patient = {
      ...up,
      run: (_: unknown, { stop }: { stop: AbortSignal }) =>
        new Promise<never>((_resolve, reject) => stop.addEventListener('abort', () => reject(stop.reason))),
    };
    const ended = process.run([patient]);
    process.stop('SIGTERM');
    expect(await ended).toBe(143);
    expect(process.stderr.text).toBe('');
  });
});
