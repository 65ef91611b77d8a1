// The port of what keeps a daemon running on this machine: systemd or launchd.

export interface ServiceManager {
  /** What would be written. */
  text(): Promise<string>;
  /** Whether the manager can be reached: before anything is written. @throws CommandError where it cannot. */
  check(): Promise<void>;
  /** Has it start with the machine or the session. @throws CommandError when the manager refuses what was written. */
  enable(): Promise<void>;
  /** Starts it now. @throws CommandError when it does not start; it stays enabled, and its log has the reason. */
  start(): Promise<void>;
  state(): Promise<ServiceState>;
  /** Stops it for good; the file is still there. */
  stop(): Promise<void>;
  /** After the file is gone. */
  forget(): Promise<void>;
  /** Lines of its log, the last `count` first, then as they come. */
  log(count: number, isFollowed: boolean): AsyncIterable<string>;
}

export interface ServiceState {
  /** The state in the words of the manager: "active (running)". */
  readonly state: string;
  readonly isRunning: boolean;
  readonly startsByItself: boolean;
  /** undefined: it does not run. */
  readonly pid: number | undefined;
  /** By the manager, since it was started; undefined: it does not count. */
  readonly restarts: number | undefined;
  /** The status that the daemon reports; '': none. */
  readonly status: string;
}
