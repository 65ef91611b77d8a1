// Times that a run waits for its own parts. Tests make them short.

export interface BenchSettings {
  /** For a child process to say that it is ready. */
  readonly readyMsMax: number;
  /** For the server to tell its models. */
  readonly askMsMax: number;
  /** A load thread that did not return to its event loop for so long is given up. */
  readonly heartbeatMsMax: number;
  /** For the subscribers to take what is queued at the end. */
  readonly lingerMs: number;
  /** For the aggregator to finish its account after the session's end. */
  readonly accountMsMax: number;
  /** For the event logger to write what it has. */
  readonly logMsMax: number;
  /** For samples.jsonl to be on disk. */
  readonly diskMsMax: number;
}

export const BENCH_SETTINGS: BenchSettings = {
  readyMsMax: 10_000,
  askMsMax: 5_000,
  heartbeatMsMax: 5_000,
  lingerMs: 10_000,
  accountMsMax: 60_000,
  logMsMax: 2_000,
  diskMsMax: 5_000,
};
