// What the demo's benchmark does, round after round: other patterns and limits each time, light enough for a notebook that
// shows it to somebody.

export interface DemoRound {
  /** Of `plimsoll bench`, behind the target. */
  readonly options: readonly string[];
  /** Before the next one, ms. */
  readonly pauseMs: number;
}

export const demoRound = (round: number): DemoRound => {
  const options = ROUNDS[round % ROUNDS.length] ?? ROUNDS[0] ?? [];
  return {
    options: [...options, '--events', 'off', '--quiet', '--seed', String(42 + round)],
    pauseMs: round < QUICK_ROUNDS ? 3_000 : 60_000,
  };
};

/** Kept on disk; older ones go. */
export const DEMO_RUNS_MAX = 20;

const ROUNDS: readonly (readonly string[])[] = [
  ['--rate', '6', '--duration', '45s', '--slo', 'ttft=500ms'],
  ['--concurrency', '8', '--duration', '30s'],
  ['--rate', '10', '--arrival', 'constant', '--duration', '40s', '--slo', 'latency=3s'],
];
/** So many follow each other closely, so that the list of runs fills; then it is calmer. */
const QUICK_ROUNDS = 6;
