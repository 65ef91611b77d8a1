// Pictures over time of finished runs, made of samples.jsonl when somebody asks, and kept for a few runs.

import type { Run } from '../../core/run/run.ts';
import { runFiles } from '../../metrics/run-files.ts';
import { RunTimeSeries } from '../../metrics/run-time-series.ts';
import { withPowerColumns, withServerColumns } from '../../metrics/server-columns.ts';
import type { TimeSeries } from '../../wire/api/run-answers.ts';
import { FINISHED_BYTES_MAX, SamplesReader } from './samples-reader.ts';

const FINISHED_SERIES_MAX = 8;

interface FinishedPicture {
  readonly series: TimeSeries;
  readonly notice: string;
}

export class FinishedSeries {
  readonly #kept = new Map<string, Promise<FinishedPicture>>();
  #queue: Promise<unknown> = Promise.resolve();

  /** One file at a time: reading is work, and a page that is reloaded asks again. */
  read(run: Run): Promise<FinishedPicture> {
    const kept = this.#kept.get(run.runId);
    if (kept !== undefined) return kept;
    const reading = this.#queue.then(() => pictureOf(run));
    this.#queue = reading.catch(() => undefined);
    this.#kept.set(run.runId, reading);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > FINISHED_SERIES_MAX && oldest !== undefined) this.#kept.delete(oldest);
    return reading;
  }

  forget(runId: string): void {
    this.#kept.delete(runId);
  }
}

const pictureOf = async (run: Run): Promise<FinishedPicture> => {
  const series = new RunTimeSeries(run.isStreaming);
  const read = await new SamplesReader(runFiles(run.directory).samples).read(sample => series.add(sample), {
    bytesMax: FINISHED_BYTES_MAX,
    skipsAhead: false,
  });
  const { server, power } = runFiles(run.directory);
  const picture = await withPowerColumns(power, await withServerColumns(server, series.series()));
  return { series: picture, notice: noticeOf(read?.restBytes) };
};

const noticeOf = (restBytes: number | undefined): string => {
  if (restBytes === undefined) return 'samples.jsonl of this run cannot be read here';
  return restBytes > 0 ? 'samples.jsonl is too large to read whole: the charts end before the run did' : '';
};
