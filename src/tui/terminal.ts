// A screen that is redrawn in place. Each frame is one write over the last one, so nothing flickers, and the terminal
// is restored afterwards.

export interface TerminalOutput {
  write(text: string): Promise<void>;
  readonly columns: number;
  readonly rows: number;
}

/** Owns the terminal until disposed: alternate screen, no cursor. */
export class LiveScreen implements AsyncDisposable {
  readonly #output: TerminalOutput;
  #isOpen = false;

  constructor(output: TerminalOutput) {
    this.#output = output;
  }

  /** Lines past the last row of the terminal are not shown; the last one says how many. */
  async draw(lines: readonly string[]): Promise<void> {
    const { rows } = this.#output;
    const shown =
      lines.length <= rows ? lines : [...lines.slice(0, rows - 1), `… ${lines.length - rows + 1} more lines`];
    const opening = this.#isOpen ? '' : `${ENTER_SCREEN}${HIDE_CURSOR}`;
    this.#isOpen = true;
    // Cleared first: after a line that fills its row, clearing would remove the last character.
    const body = shown.map(line => `${CLEAR_LINE}${line}`).join('\r\n');
    // A full screen leaves nothing to clear.
    const clearing = shown.length < rows ? `\r\n${CLEAR_BELOW}` : '';
    await this.#output.write(
      `${opening}${BEGIN_FRAME}${CURSOR_HOME}${WRAP_OFF}${body}${clearing}${WRAP_ON}${END_FRAME}`,
    );
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
const CURSOR_HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[2K';
/** A terminal that supports it shows the frame at once; others ignore it. */
const BEGIN_FRAME = '\u001b[?2026h';
const END_FRAME = '\u001b[?2026l';
const CLEAR_BELOW = '\u001b[J';
