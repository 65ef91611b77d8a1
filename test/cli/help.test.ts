import { describe, expect, test } from 'vitest';
import { FIRST_COMMANDS } from '../../src/cli/command.ts';
import { allCommands } from '../../src/cli/commands.ts';
import { textWidth } from '../../src/core/text/columns.ts';
import { madeUpProcess } from '../support/made-up-process.ts';

const COMMANDS = await allCommands();

const printed = async (args: readonly string[], columns = 80): Promise<string> => {
  const { run, stdout } = madeUpProcess(args, { columns });
  expect(await run()).toBe(0);
  return stdout.text;
};

describe('help', () => {
  test.each([40, 80])('fits %i columns, but for examples that are copied', async columns => {
    const examples = COMMANDS.flatMap(command => command.examples.map(({ line }) => `  ${line}`));
    for (const args of [[], ['all'], ...COMMANDS.flatMap(({ name }) => [[name], [name, 'all']])]) {
      const text = await printed(['help', ...args.flatMap(word => word.split(' '))], columns);
      const long = text.split('\n').filter(line => textWidth(line) > columns && !examples.includes(line));
      expect(long, args.join(' ')).toEqual([]);
    }
  });

  test('of a command takes no other word', async () => {
    const { run, stderr } = madeUpProcess(['help', 'bench', 'foo']);
    expect(await run()).toBe(2);
    expect(stderr.text).toBe('plimsoll: foo is not expected\nWrite: plimsoll help COMMAND\n');
  });

  test('shows nine commands under their headings, and with "all" every one', async () => {
    const first = await printed([]);
    for (const { name } of COMMANDS)
      expect(first.includes(`\n  ${name} `), name).toBe(FIRST_COMMANDS.includes(name));
    expect(FIRST_COMMANDS.every(name => COMMANDS.some(command => command.name === name))).toBe(true);
    const all = await printed(['help', 'all']);
    for (const { name } of COMMANDS) expect(all).toContain(`\n  ${name}`);
    expect(await printed(['--help', 'all'])).toBe(all);
  });

  test('of bench shows the options that people use most, and with "all" every one under a heading', async () => {
    const first = await printed(['bench', '--help']);
    expect(first.match(/^ {2}--/gm)?.length).toBeLessThanOrEqual(12);
    expect(first).toContain('plimsoll bench --help all');
    const all = await printed(['bench', '--help', 'all']);
    for (const { options } of COMMANDS.filter(({ name }) => name === 'bench'))
      for (const { name } of options) expect(all).toMatch(new RegExp(`^ {2}--${name}(?= |$)`, 'm'));
    expect(all).toContain('\nLoad:\n');
    expect(await printed(['help', 'bench', 'all'])).toBe(all);
  });
});

describe('--explain', () => {
  test('shows each option that is set, and where its value comes from', async () => {
    const { run, stdout } = madeUpProcess(
      ['bench', 'http://h:1', '--num-prompts', '5', '--header', 'A: s3cret', '--explain'],
      { env: { PLIMSOLL_RATE: '4', PLIMSOLL_REQUESTS: '9', PLIMSOLL_NO_NONCE: '1' } },
    );
    expect(await run()).toBe(0);
    expect(stdout.text).toMatch(/--requests +5 +command line/);
    expect(stdout.text).toMatch(/--rate +4 +PLIMSOLL_RATE/);
    expect(stdout.text).toMatch(/--no-nonce +on +PLIMSOLL_NO_NONCE/);
    expect(stdout.text).toMatch(/--header +\(not shown\) +command line/);
    expect(stdout.text).not.toContain('s3cret');
  });

  test('a variable of a flag that is neither on nor off is an error', async () => {
    const { run, stderr } = madeUpProcess(['bench', 'http://h:1'], { env: { PLIMSOLL_NO_NONCE: 'maybe' } });
    expect(await run()).toBe(2);
    expect(stderr.text).toContain('PLIMSOLL_NO_NONCE="maybe" is neither on nor off');
  });

  test('shows each value of an option that is given several times, and the value of one that is given alone', async () => {
    const { run, stdout, stderr } = madeUpProcess([
      ...[
        'bench',
        'http://h:1',
        '--goodput',
        'ttft:500',
        'tpot:50',
        '--streaming',
        '--no-nonce',
        '--explain',
      ],
    ]);
    expect(await run()).toBe(0);
    expect(stdout.text).toMatch(/--slo +ttft=500ms +command line\n +--slo +tpot=50ms +command line/);
    expect(stdout.text).toMatch(/--streaming +on +command line/);
    expect(stderr.text).toContain('interpreted --goodput as --slo ttft=500ms --slo tpot=50ms');
  });

  test('a variable that the command line contradicts gives way to it, and is shown as not used', async () => {
    for (const [given, name, value] of [
      ['-c', 'PLIMSOLL_RATE', '5'],
      ['--rate', 'PLIMSOLL_CONCURRENCY', '4'],
    ] as const) {
      const { run, stdout } = madeUpProcess(['bench', 'http://h:1', given, '4', '--explain'], {
        env: { [name]: value },
      });
      expect(await run()).toBe(0);
      expect(stdout.text).toMatch(new RegExp(`${value} +${name}, not used: the command line has --`));
    }
  });

  test('variables that contradict each other are named', async () => {
    const { run, stderr } = madeUpProcess(['bench', 'http://h:1'], {
      env: { PLIMSOLL_RATE: '5', PLIMSOLL_CONCURRENCY: '4' },
    });
    expect(await run()).toBe(2);
    expect(stderr.text).toContain('--concurrency and --rate cannot be combined');
    expect(stderr.text).toContain('The environment sets PLIMSOLL_CONCURRENCY and PLIMSOLL_RATE.');
  });

  test('a variable that Kubernetes sets for a Service is none of ours', async () => {
    const env = { PLIMSOLL_PORT: 'tcp://10.96.0.7:4180' };
    const { run, stdout } = madeUpProcess(['mock', '--explain'], { env });
    expect(await run()).toBe(0);
    expect(stdout.text).toContain('none');
  });

  test('a variable with a bad value is an error that names the option and the variable', async () => {
    const { run, stderr } = madeUpProcess(['bench', 'http://h:1'], { env: { PLIMSOLL_RATE: 'fast' } });
    expect(await run()).toBe(2);
    expect(stderr.text).toContain('--rate: "fast" is not a number');
    expect(stderr.text).toContain('The environment sets PLIMSOLL_RATE.');
  });
});
