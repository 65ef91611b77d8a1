// What a reply reports of its own time at the server: `timings` of llama.cpp (tools/server/server-task.cpp), the durations of Ollama
// (docs/api.md there). Replies of other servers have none of it. NO_FIGURE: not reported.

/** In storage order. The time for the prompt covers only the part that was not in the server's cache. */
export const SERVED_KEYS = ['loadNs', 'promptNs', 'decodeNs', 'draftedTokens'] as const;

export type ServedTimes = Readonly<Record<(typeof SERVED_KEYS)[number], number>>;
