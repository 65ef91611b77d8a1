// A screen that is redrawn in place. Each frame is one write over the last one, so nothing flickers, and the terminal
// is restored afterwards.

import { counted } from '../core/figure/figure.ts';

interface TerminalOutput {
  write(text: string): Promise<void>;
  readonly columns: number;
  readonly rows: number;
}

/** Owns the terminal until disposed: alternate screen, no cursor. */
export class LiveScreen implements AsyncDisposable {
  readonly #output: TerminalOutput;
  #isOpen = false;
  #shown: readonly string[] = [];
  #size = '';

  constructor(output: TerminalOutput) {
    this.#output = output;
  }

  /**
   * Lines past the last row of the terminal are not shown; the last one has their number. Only rows that have changed are written:
   * over a slow line a screen costs only its changes.
   */
  async draw(lines: readonly string[]): Promise<void> {
    const { rows, columns } = this.#output;
    const shown =
      lines.length <= rows
        ? lines
        : [...lines.slice(0, rows - 1), `… ${counted(lines.length - rows + 1, 'more line')}`];
    const size = `${columns}×${rows}`;
    // A terminal moves what it shows when its size changes, each in its own way.
    const isRedraw = size !== this.#size;
    const before = isRedraw ? [] : this.#shown;
    const opening = this.#isOpen ? '' : `${ENTER_SCREEN}${HIDE_CURSOR}`;
    this.#isOpen = true;
    // Cleared first: after a line that fills its row, clearing would remove the last character.
    const body = shown.flatMap((line, row) =>
      isRedraw || line !== before[row] ? [`${cursorTo(row)}${CLEAR_LINE}${line}`] : [],
    );
    // A full screen leaves nothing to clear.
    if (shown.length < rows && (isRedraw || shown.length < before.length))
      body.push(`${cursorTo(shown.length)}${CLEAR_BELOW}`);
    this.#shown = shown;
    this.#size = size;
    if (body.length === 0) return;
    await this.#output.write(`${opening}${BEGIN_FRAME}${WRAP_OFF}${body.join('')}${WRAP_ON}${END_FRAME}`);
  }

  /** The next frame is drawn whole: something else has written on the screen. */
  forget(): void {
    this.#size = '';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#output.write(`${SHOW_CURSOR}${LEAVE_SCREEN}`);
  }
}

// ECMA-48, and DEC private modes as xterm documents them (ctlseqs).
const ENTER_SCREEN = '\u001b[?1049h';
const LEAVE_SCREEN = '\u001b[?1049l';
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const WRAP_OFF = '\u001b[?7l';
const WRAP_ON = '\u001b[?7h';
const cursorTo = (row: number): string => `\u001b[${row + 1};1H`;
const CLEAR_LINE = '\u001b[2K';
/** A terminal that supports it shows the frame at once; others ignore it. */
const BEGIN_FRAME = '\u001b[?2026h';
const END_FRAME = '\u001b[?2026l';
const CLEAR_BELOW = '\u001b[J';
