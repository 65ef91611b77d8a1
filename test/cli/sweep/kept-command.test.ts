import { describe, expect, test } from 'vitest';
import { commandText, keptCommand } from '../../../src/cli/sweep/kept-command.ts';
import { SWEEP_OPTIONS } from '../../../src/cli/sweep/sweep-options.ts';

const URL_GIVEN = 'http://127.0.0.1:8000';
const kept = (args: readonly string[], more: object = {}) =>
  keptCommand({
    options: SWEEP_OPTIONS,
    args,
    url: URL_GIVEN,
    shownUrl: URL_GIVEN,
    cwd: '/somewhere',
    env: {},
    ...more,
  });

describe('the command of a sweep', () => {
  test('is kept with the URL first, and without what only that call was about', () => {
    const given = [
      '--rates',
      '1..8x2',
      '--out',
      'dir',
      URL_GIVEN,
      '--quiet',
      '--home=/h',
      '--slo=ttft=1s',
      '--no-nonce',
    ];
    const resume = kept(given);
    expect(resume.args).toEqual([URL_GIVEN, '--rates', '1..8x2', '--slo=ttft=1s', '--no-nonce']);
    expect(resume.secrets).toEqual([]);
    expect(commandText('sweep', resume)).toBe(
      `plimsoll sweep ${URL_GIVEN} --rates 1..8x2 --slo=ttft=1s --no-nonce`,
    );
  });

  test('reports which secrets it was given, and has none of them', () => {
    const secret = 'hunter2';
    const url = `http://me:${secret}@127.0.0.1:8000`;
    const args = [
      url,
      '--rates',
      '1',
      '--header',
      `x-key: ${secret}`,
      `--header=y: ${secret}`,
      '--api-key-file',
      secret,
    ];
    const resume = kept(args, { url, env: { OPENAI_API_KEY: secret } });
    expect(JSON.stringify(resume)).not.toContain(secret);
    expect(resume.args).toEqual([URL_GIVEN, '--rates', '1']);
    expect(resume.secrets).toEqual(['the URL with its password', '--header', '--api-key-file']);
    expect(kept([URL_GIVEN], { env: { OPENAI_API_KEY: secret } }).secrets).toEqual(['OPENAI_API_KEY']);
  });

  test('can be pasted into a shell', () => {
    expect(commandText('sweep', kept([URL_GIVEN, '--name', "it's a try", '--body', '{"a": 1}']))).toBe(
      `plimsoll sweep ${URL_GIVEN} --name 'it'\\''s a try' --body '{"a": 1}'`,
    );
  });
});
