// Shows a search while it goes on: the sentence so far, what runs, what comes next and how much time is left; a screen on a
// terminal, a line for each stage elsewhere, or nothing.

import type { LineDocument } from '../../core/sweep/sweep-document.ts';
import { searchProgress, searchScreen, stageLine } from '../../core/sweep/sweep-text.ts';
import { LiveScreen } from '../../tui/terminal.ts';
import type { DisplayMode } from '../bench/run-display.ts';
import type { OutputStream } from '../process-state.ts';

export class LineDisplay implements AsyncDisposable {
  readonly #mode: DisplayMode;
  readonly #stdout: OutputStream;
  readonly #screen: LiveScreen;
  readonly #notices: string[] = [];
  #told = 0;
  #drawing: Promise<void> = Promise.resolve();

  constructor(mode: DisplayMode, stdout: OutputStream) {
    this.#mode = mode;
    this.#stdout = stdout;
    this.#screen = new LiveScreen(stdout);
  }

  get notices(): readonly string[] {
    return this.#notices;
  }

  notice(text: string): void {
    if (!this.#notices.includes(text)) this.#notices.push(text);
  }

  show(document: LineDocument): void {
    if (this.#mode === 'screen') {
      const { columns, rows, isUnicode } = this.#stdout;
      const footer = [...this.#notices, FOOTER];
      const lines = searchScreen(document, { columns, rows, isUnicode, footer });
      this.#drawing = this.#drawing.then(() => this.#screen.draw(lines));
      return;
    }
    if (this.#mode !== 'lines') return;
    const ended = document.stages.filter(({ state }) => state === 'ended');
    for (const stage of ended.slice(this.#told)) {
      const line = `${stageLine(stage)}. ${searchProgress(document).join('. ')}\n`;
      this.#drawing = this.#drawing.then(() => this.#stdout.write(line));
    }
    this.#told = ended.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#drawing;
    await this.#screen[Symbol.asyncDispose]();
  }
}

const FOOTER = 'Ctrl-C ends the search and keeps what is known.';
