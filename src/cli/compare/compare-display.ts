// Shows a comparison while it goes on: what is known so far, which segment runs and how long it takes to the next look; a screen on
// a terminal, a line for each pair elsewhere, or nothing.

import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { comparisonScreen, pairLine } from '../../core/comparison/comparison-screen.ts';
import { LiveScreen } from '../../tui/terminal.ts';
import type { DisplayMode } from '../bench/run-display.ts';
import type { OutputStream } from '../process-state.ts';

export class CompareDisplay implements AsyncDisposable {
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

  show(document: ComparisonDocument): void {
    if (this.#mode === 'screen') {
      const { columns, rows, isUnicode } = this.#stdout;
      const footer = [...this.#notices, FOOTER];
      const lines = comparisonScreen(document, { columns, rows, isUnicode, footer });
      this.#drawing = this.#drawing.then(() => this.#screen.draw(lines));
      return;
    }
    const done = document.progress?.pairsDone ?? this.#told;
    if (this.#mode !== 'lines' || done <= this.#told) return;
    this.#told = done;
    const line = pairLine(document, this.#stdout);
    this.#drawing = this.#drawing.then(() => this.#stdout.write(`${line}\n`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#drawing;
    await this.#screen[Symbol.asyncDispose]();
  }
}

const FOOTER = 'Ctrl-C ends the comparison and keeps the pairs that are done.';
