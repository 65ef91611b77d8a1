// A capture in the terminal: where clients connect, one line of figures while it goes on, and at its end what was
// recorded and the command that replays it.

import { Capture, type CaptureFigures, type CaptureOptions } from '../bench/capture/capture.ts';
import { pause } from '../clock/clock.ts';
import { systemClock } from '../clock/system-clock.ts';
import { hostPortText } from '../core/address/host-port.ts';
import { counted, figureText, formatBytes, formatCount, formatThreeDigits } from '../core/figure/figure.ts';
import { shellCommand } from '../core/text/shell-words.ts';
import { showable } from '../core/text/single-line.ts';
import type { ProcessState } from './process-state.ts';

interface ShownCapture extends CaptureOptions {
  /** Other machines can connect. */
  readonly isOpen: boolean;
  /** As the person wrote it. */
  readonly shownFolder: string;
}

/** Ends when the process is stopped. @throws BenchError */
export const showCapture = async (state: ProcessState, options: ShownCapture): Promise<void> => {
  const { stdout, stop } = state;
  const { target, listen, shownFolder, isOpen } = options;
  const cut = state.takeSecondStop();
  const capture = await Capture.start(options);
  const url = `http://${hostPortText({ ...listen, port: capture.port })}`;
  await stdout.write(`Point your clients to ${url}\n`);
  await stdout.write(`Passing on to ${target.shown}, recording to ${shownFolder}. Ctrl-C stops it.\n`);
  if (isOpen)
    await stdout.write(`Everyone who reaches ${hostPortText(listen)} can use ${target.shown} through it.\n`);
  const live = new LiveLine(state);
  while (!stop.aborted) {
    await live.show(capture.figures);
    await pause(systemClock, LIVE_MS, stop);
  }
  const { inFlight } = capture.figures.proxy;
  await live.clear();
  if (inFlight > 0)
    await stdout.write(`Waiting for ${counted(inFlight, 'request')}; Ctrl-C cuts them off.\n`);
  const figures = await capture.stop(AbortSignal.any([cut, AbortSignal.timeout(STOP_MS_MAX)]));
  await stdout.write(
    `${[
      ...summaryLines(figures).map(line => showable(line)),
      ...((figures.recorded?.files ?? 0) === 0
        ? []
        : [
            `Look at it: ${shellCommand`plimsoll dataset show ${shownFolder}`}`,
            `Replay it: ${shellCommand`plimsoll bench ${target.shown} --trace ${shownFolder}`}`,
          ]),
    ].join('\n')}\n`,
  );
};

/** On a terminal one line that changes; elsewhere a line a minute, and one for each new problem. */
class LiveLine {
  readonly #state: ProcessState;
  #problem: string | undefined;
  #shownMs = Number.NEGATIVE_INFINITY;
  #isShown = false;

  constructor(state: ProcessState) {
    this.#state = state;
  }

  async show(figures: CaptureFigures): Promise<void> {
    const { stdout } = this.#state;
    await this.#showProblem(figures.recorded?.problem);
    const text = liveText(figures);
    if (stdout.isTerminal) {
      this.#isShown = true;
      await stdout.write(`\r${CLEAR_LINE}${text.slice(0, stdout.columns - 1)}`);
      return;
    }
    const nowMs = systemClock.nowMs();
    if (nowMs - this.#shownMs < WRITTEN_MS) return;
    this.#shownMs = nowMs;
    await stdout.write(`${text}\n`);
  }

  async clear(): Promise<void> {
    if (this.#isShown) await this.#state.stdout.write(`\r${CLEAR_LINE}`);
    this.#isShown = false;
  }

  async #showProblem(problem: string | undefined): Promise<void> {
    if (problem === this.#problem) return;
    this.#problem = problem;
    await this.clear();
    await this.#state.stderr.write(
      problem === undefined
        ? 'Requests are recorded again.\n'
        : `plimsoll: requests are passed on but not recorded: ${showable(problem)}\n`,
    );
  }
}

const liveText = ({ proxy, recorded }: CaptureFigures): string => {
  const requests =
    (recorded?.completed ?? 0) + (recorded?.failed ?? 0) + (recorded?.cancelled ?? 0) + (recorded?.lost ?? 0);
  const added =
    proxy.addedMs === undefined
      ? 'nothing yet'
      : `p50 ${formatThreeDigits(proxy.addedMs.p50)} ms, p99 ${formatThreeDigits(proxy.addedMs.p99)} ms`;
  return [
    `${counted(requests, 'request')}, ${formatCount(proxy.inFlight)} in flight`,
    `tokens ${formatCount(recorded?.inputTokens ?? 0)} in, ${formatCount(recorded?.outputTokens ?? 0)} out`,
    `adds ${added}`,
    ...(recorded === undefined || recorded.lost === 0 ? [] : [`${formatCount(recorded.lost)} not recorded`]),
    ...(recorded === undefined
      ? []
      : [`${recorded.file.split(/[\\/]/).at(-1) ?? ''} ${figureText(formatBytes(recorded.fileBytes))}`]),
  ].join(' · ');
};

const summaryLines = ({ proxy, recorded }: CaptureFigures): readonly string[] => {
  if (recorded === undefined) return ['Nothing was recorded.'];
  const { completed, failed, cancelled, sessions, inputTokens, outputTokens } = recorded;
  const few = (count: number, text: string): readonly string[] => (count === 0 ? [] : [text]);
  return [
    `${counted(completed + failed + cancelled, 'request')} in ${counted(sessions, 'conversation')}: ${formatCount(completed)} completed, ${formatCount(failed)} failed, ${formatCount(cancelled)} cancelled`,
    `${counted(inputTokens, 'token')} in, ${formatCount(outputTokens)} out, ${figureText(formatBytes(recorded.bytes))} in ${counted(recorded.files, 'file')}`,
    ...few(
      recorded.estimated,
      `${counted(recorded.estimated, 'request')} with a length that the server did not report: estimated`,
    ),
    ...few(recorded.unread, `${counted(recorded.unread, 'request')} without a prompt that can be read`),
    ...few(proxy.unanswered, `${counted(proxy.unanswered, 'request')} that the server did not answer (502)`),
    ...few(proxy.passed, `${counted(proxy.passed, 'request')} of other paths passed unrecorded`),
    ...few(
      proxy.refused,
      `${counted(proxy.refused, 'connection or request', 'connections or requests')} refused at a limit`,
    ),
    ...few(
      recorded.lost,
      `${counted(recorded.lost, 'request')} not recorded${recorded.problem === undefined ? '' : `: ${recorded.problem}`}`,
    ),
    ...few(recorded.removed, `${counted(recorded.removed, 'request')} removed with the oldest files`),
    ...(proxy.addedMs === undefined
      ? []
      : [
          `This process added p50 ${formatThreeDigits(proxy.addedMs.p50)} ms, p99 ${formatThreeDigits(proxy.addedMs.p99)} ms to a request`,
        ]),
  ];
};

const LIVE_MS = 500;
const WRITTEN_MS = 60_000;
/** For requests in flight at the end. */
const STOP_MS_MAX = 30_000;
const CLEAR_LINE = '\u001b[2K';
