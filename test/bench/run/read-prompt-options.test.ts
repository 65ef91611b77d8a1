import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPromptOptions } from '../../../src/bench/run/read-prompt-options.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { requestHere } from '../run-here.ts';

const systemPromptOf = async (text: string, folder: string): Promise<string | undefined> => {
  const request = requestHere('http://127.0.0.1:1', { systemPrompt: { text, path: join(folder, text) } });
  const options = await readPromptOptions(request, new AbortController().signal, '0badcafe');
  return options.systemPrompt;
};

describe('--system-prompt', () => {
  it('is the text of a file that exists, and else the prompt itself', async () => {
    using folder = temporaryDirectory();
    writeFileSync(join(folder.path, 'system.md'), 'You are a sailor.');
    expect(await systemPromptOf('system.md', folder.path)).toBe('You are a sailor.');
    expect(await systemPromptOf('You are a sailor/cook.', folder.path)).toBe('You are a sailor/cook.');
  });

  it('that can only be a file that does not exist, or is a folder, is refused', async () => {
    using folder = temporaryDirectory();
    mkdirSync(join(folder.path, 'prompts'));
    for (const [text, problem] of [
      ['./missing/prompt', 'there is no file ./missing/prompt'],
      ['systm.md', 'there is no file systm.md'],
      ['prompts', 'prompts is a folder'],
    ] as const) {
      await expect(systemPromptOf(text, folder.path)).rejects.toThrow(problem);
    }
  });
});
