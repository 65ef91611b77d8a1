// A screen that is redrawn in place. Lines are written over one another rather than after a clearing, so that nothing
// flickers, and the terminal is given back as it was found.

export interface TerminalOutput {
  write(text: string): Promise<void>;
  readonly columns: number;
  readonly rows: number;
}

/** Owns the terminal until it is disposed of: own screen, no cursor. */
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
    const body = shown.map(line => `${line}${CLEAR_TO_LINE_END}`).join('\r\n');
    await this.#output.write(`${opening}${CURSOR_HOME}${WRAP_OFF}${body}${CLEAR_BELOW}${WRAP_ON}`);
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
const CLEAR_TO_LINE_END = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';
