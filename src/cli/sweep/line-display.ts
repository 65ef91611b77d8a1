// Shows a search while it goes on: the sentence so far, what runs, what comes next and how much time is left; a screen on a
// terminal, a line for each stage elsewhere, or nothing.

import { lineText } from '../../bench/sweep/line-text.ts';
import { formatClock } from '../../core/figure/duration.ts';
import { formatThreeDigits } from '../../core/figure/figure.ts';
import type { Stage } from '../../core/sweep/stage.ts';
import type { LineDocument } from '../../core/sweep/sweep-document.ts';
import { isKnown, isUnknown } from '../../core/unknown.ts';
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
      const lines = [...lineText(document), '', ...progressText(document), ...this.#notices, FOOTER];
      this.#drawing = this.#drawing.then(() => this.#screen.draw(lines));
      return;
    }
    if (this.#mode !== 'lines') return;
    const ended = document.stages.filter(({ state }) => state === 'ended');
    for (const stage of ended.slice(this.#told)) {
      const line = `${stageLine(stage)}; ${progressText(document).join('; ')}\n`;
      this.#drawing = this.#drawing.then(() => this.#stdout.write(line));
    }
    this.#told = ended.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#drawing;
    await this.#screen[Symbol.asyncDispose]();
  }
}

/** "stage 5: bisect 12.2/s: held". */
const stageLine = ({ number, load, purpose, verdict }: Stage): string =>
  `stage ${number}: ${purpose} ${load.kind === 'rate' ? `${formatThreeDigits(load.requestsPerSecond)}/s` : `${load.concurrency} at a time`}: ${isUnknown(verdict) ? verdict.reason : verdict}`;

const progressText = ({ progress, by }: LineDocument): readonly string[] => {
  if (progress === undefined) return [];
  const { stagesDone, stagesExpected, leftMs, next } = progress;
  const load = (value: number): string => (by === 'rate' ? `${formatThreeDigits(value)}/s` : String(value));
  return [
    `${stagesDone} of about ${stagesExpected} stages${isKnown(leftMs) ? `, at most ${formatClock(leftMs)} left` : ''}`,
    ...(isKnown(next.ifHeld) ? [`next, if this load holds: ${load(next.ifHeld)}`] : []),
    ...(isKnown(next.ifFailed) ? [`next, if it does not: ${load(next.ifFailed)}`] : []),
  ];
};

const FOOTER = 'Ctrl-C ends the search and keeps what is known.';
