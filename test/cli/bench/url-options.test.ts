import { expect, test } from 'vitest';
import { type ParsedBenchOptions, parseBenchOptions } from '../../../src/cli/bench/parse-bench-options.ts';
import { CommandError } from '../../../src/cli/command-error.ts';
import { parseCommandLine } from '../../../src/cli/command-line.ts';
import { allCommands } from '../../../src/cli/commands.ts';

const COMMANDS = await allCommands();

const URL_GIVEN = 'http://127.0.0.1:8000';

const options = (...args: string[]): ParsedBenchOptions => {
  const line = parseCommandLine(['bench', URL_GIVEN, ...args], COMMANDS);
  if (line.kind !== 'run') throw new Error(`${line.kind} instead of a command`);
  return parseBenchOptions(line.invocation, '/somewhere');
};

const refusal = (...args: string[]): string => {
  try {
    options(...args);
  } catch (error) {
    if (error instanceof CommandError) return error.message;
    throw error;
  }
  throw new Error(`${args.join(' ')} was taken`);
};

test('a benchmark may have several URLs, with weights or equal shares', () => {
  const [second, third] = ['http://127.0.0.1:8001', 'unix:/run/server.sock'];
  expect(options(second, third, '--weights', '3,1,0.5').targets?.map(({ weight }) => weight)).toEqual([
    3, 1, 0.5,
  ]);
  expect(options(second)).toMatchObject({
    target: { shown: URL_GIVEN },
    targets: [{ weight: 1 }, { target: { shown: second }, weight: 1 }],
  });
  expect(options().targets).toBeUndefined();
  expect(refusal('--weights', '1')).toContain('no effect with one URL');
  expect(refusal(second, '--weights', '1')).toContain('1 weight for 2 URLs');
  expect(refusal(second, '--weights', '1000,1')).toContain(`${second} would be sent less than one of`);
  expect(options(second, '--weights', '999,1').targets).toHaveLength(2);
  expect(refusal(second, '--weights', '1,0')).toContain('not a list of weights above 0');
  expect(refusal(`${URL_GIVEN}/`)).toContain('stands twice');
  expect(refusal('http://me:secret@127.0.0.1:8001')).toContain('credentials');
  expect(refusal(`${second}/v1/completions`)).toContain('different APIs');
  expect(refusal(second, '--model', 'a=1,b=1')).toContain('--model');
  expect(refusal(second, '--profile', 'depth')).toContain('--profile');
  const many = Array.from({ length: 16 }, (_, port) => `http://127.0.0.1:${9_000 + port}`);
  expect(refusal(...many)).toContain('17 URLs are more than 16');
});
