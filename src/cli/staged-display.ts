// Shows what goes on in stages or pairs while it goes on: a screen on a terminal, a line for each that has ended elsewhere, or nothing.

import { LiveScreen } from '../tui/terminal.ts';
import type { DisplayMode } from './bench/run-display.ts';
import type { OutputStream } from './process-state.ts';

interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
  readonly isUnicode: boolean;
  readonly footer: readonly string[];
}

interface StagedDisplayOptions<Document> {
  readonly mode: DisplayMode;
  readonly stdout: OutputStream;
  readonly screen: (document: Document, size: ScreenSize) => readonly string[];
  /** How many have ended, and the lines of those that were not shown yet. */
  readonly ended: (
    document: Document,
    reported: number,
  ) => { readonly count: number; readonly lines: readonly string[] };
  /** The last line of the screen: "Ctrl-C ends the search." */
  readonly footer: string;
}

export class StagedDisplay<Document> implements AsyncDisposable {
  readonly #options: StagedDisplayOptions<Document>;
  readonly #live: LiveScreen;
  readonly #notices: string[] = [];
  #reported = 0;
  #drawing: Promise<void> = Promise.resolve();

  constructor(options: StagedDisplayOptions<Document>) {
    this.#options = options;
    this.#live = new LiveScreen(options.stdout);
  }

  get notices(): readonly string[] {
    return this.#notices;
  }

  notice(text: string): void {
    if (!this.#notices.includes(text)) this.#notices.push(text);
  }

  show(document: Document): void {
    const { mode, stdout, screen, ended, footer } = this.#options;
    if (mode === 'nothing') return;
    if (mode === 'screen') {
      const { columns, rows, isUnicode } = stdout;
      const drawn = screen(document, { columns, rows, isUnicode, footer: [...this.#notices, footer] });
      this.#drawing = this.#drawing.then(() => this.#live.draw(drawn));
      return;
    }
    const { count, lines } = ended(document, this.#reported);
    this.#reported = count;
    for (const line of lines) this.#drawing = this.#drawing.then(() => stdout.write(`${line}\n`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#drawing;
    await this.#live[Symbol.asyncDispose]();
  }
}
