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

  test('writes only rows that have changed, and everything at another size or on request', async () => {
    const size = { columns: 80, rows: 4 };
    let text = '';
    const output = {
      get columns() {
        return size.columns;
      },
      get rows() {
        return size.rows;
      },
      write: async (part: string) => {
        text += part;
      },
    };
    await using screen = new LiveScreen(output);
    const written = async (...lines: readonly string[]): Promise<string> => {
      text = '';
      await screen.draw(lines);
      return text;
    };
    expect(await written('a', 'b', 'c')).toContain('\u001b[2Ka');
    expect(await written('a', 'b', 'c')).toBe('');
    const changed = await written('a', 'B', 'c');
    expect(changed).toContain('\u001b[2;1H\u001b[2KB');
    expect(changed).not.toContain('\u001b[2Ka');
    expect(await written('a')).toContain('\u001b[2;1H\u001b[J');
    size.columns = 60;
    expect(await written('a')).toContain('\u001b[2Ka');
    screen.forget();
    expect(await written('a')).toContain('\u001b[2Ka');
  });

  test('shows as many lines as there are rows and reports how many more there are', async () => {
    const output = new MadeUpOutput({ rows: 3 });
    await using screen = new LiveScreen(output);
    await screen.draw(['a', 'b', 'c', 'd', 'e']);
    expect(output.text).toContain('… 3 more lines');
    expect(output.text.split('\u001b[2K')).toHaveLength(4);
  });
});
