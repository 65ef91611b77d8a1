// `plimsoll mock`: the deterministic inference server in this terminal, for demos, tests and calibration.

import { untilAborted } from '../../clock/clock.ts';
import { excludes, flag, nonEmpty, type Option, value } from '../../core/option/option.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { MOCK_OPTIONS, parseMockOptions } from '../../mock/mock-options.ts';
import { type Mock, startMock } from '../../mock/mock-server.ts';
import { MockError, type MockSettings } from '../../mock/mock-settings.ts';
import { type Command, homeOption, parseListen } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { EXIT_CODES } from '../exit-codes.ts';

const NOT_WITH_SOCKET = [excludes(['host', 'port'], { advice: 'Write one of them.' })];

const OPTIONS: readonly { readonly name: string; readonly option: Option<string | boolean | undefined> }[] =
  MOCK_OPTIONS.map(({ name, valueName, meaning }) => ({
    name,
    option:
      valueName === undefined
        ? flag(name, meaning)
        : value({
            name,
            valueName,
            meaning,
            rules: name === 'socket' ? NOT_WITH_SOCKET : [],
            parse: nonEmpty,
          }),
  }));

const httpAddress = value({
  name: 'http',
  rules: [excludes(['host', 'port', 'socket'], { advice: 'Write one of them.' })],
  valueName: '[HOST:]PORT',
  meaning: 'The same as --host and --port together.',
  parse: parseListen,
});

export const mockCommand: Command = {
  name: 'mock',
  summary: 'Serve a deterministic model that answers and fails as configured',
  description:
    'The results of a benchmark against it are known beforehand. A model mock-fail-NAME fails that way.',
  arguments: [],
  options: [homeOption, httpAddress, ...OPTIONS.map(({ option }) => option)],
  examples: [
    {
      line: 'plimsoll mock --port 8000',
      meaning: 'a healthy server: 50 ms to the first token, 100 a second',
    },
    {
      line: 'plimsoll mock --ttft 200ms --gap 20ms --concurrency 4',
      meaning: 'a slow server with a queue',
    },
    { line: 'plimsoll mock --fail error-frame --fail-every 10', meaning: 'each tenth request fails' },
  ],
  run: async (invocation, state) => {
    const given = Object.fromEntries(
      OPTIONS.map(({ name, option }) => {
        const read = invocation.option(option);
        return [name, typeof read === 'boolean' ? (read ? '' : undefined) : read];
      }),
    );
    const http = invocation.option(httpAddress);
    const settings = parseMockOptions(
      http === undefined ? given : { ...given, host: http.host, port: String(http.port) },
    );
    if (settings.kind === 'wrong') throw new CommandError('usage', settings.problem, settings.advice);
    await using mock = await startedMock(settings.value);
    const { models } = settings.value;
    await state.stdout.write(
      `Serving ${models.join(', ')} at ${mock.url}\nTry: ${shellCommand`plimsoll bench ${mock.url}`}\nCtrl-C stops it.\n`,
    );
    await untilAborted(state.stop);
    return EXIT_CODES.ok.code;
  },
};

const startedMock = async (settings: MockSettings): Promise<Mock> => {
  try {
    return await startMock(settings);
  } catch (error) {
    if (!(error instanceof MockError)) throw error;
    const isTaken = error.code === 'address-in-use' || error.code === 'cannot-listen';
    throw new CommandError(
      isTaken ? 'addressInUse' : 'usage',
      error.message,
      isTaken
        ? 'Choose another port with --port, or leave it out to use any free one.'
        : 'See: plimsoll mock --help',
      { cause: error },
    );
  }
};
