import { describe, expect, test } from 'vitest';
import { LiveScreen } from '../../src/tui/terminal.ts';
import { MadeUpOutput } from '../support/made-up-process.ts';

describe('a live screen', () => {
  test('takes the terminal with the first frame and gives it back once', async () => {
    const output = new MadeUpOutput();
    {
      await using screen = new LiveScreen(output);
      await screen.draw(['one']);
      await screen.draw(['two']);
      await screen[Symbol.asyncDispose]();
    }
    expect(output.text.split('\u001b[?1049h')).toHaveLength(2);
    expect(output.text.split('\u001b[?1049l')).toHaveLength(2);
    expect(output.text.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
  });

  test('that never drew leaves the terminal alone', async () => {
    const output = new MadeUpOutput();
    await new LiveScreen(output)[Symbol.asyncDispose]();
    expect(output.text).toBe('');
  });

  test('shows as many lines as there are rows and says how many more there are', async () => {
    const output = new MadeUpOutput({ rows: 3 });
    await using screen = new LiveScreen(output);
    await screen.draw(['a', 'b', 'c', 'd', 'e']);
    expect(output.text).toContain('… 3 more lines');
    expect(output.text.split('\r\n')).toHaveLength(3);
  });
});
