// What breaks a rule of architecture.test.ts today. These lists only get shorter: an entry that is no longer needed fails its
// test, and a new one is a defect, unless the rule itself is wrong.

/** What a port ships for tests and has no other user yet: it only gets shorter. */
export const FOR_TESTS: Readonly<Record<string, string>> = {
  recordedFiles: 'the in-memory adapter of files that are read',
  MemoryDatagrams: 'the in-memory adapter of datagrams',
  memorySource: 'the in-memory adapter of bytes that are read by range',
  memoryLines: 'the in-memory adapter of lines to agents',
  AGENT_PROBLEM_CODES: 'the coordinator follows',
  MemoryHub: 'the in-memory adapter of messages',
};

/** Names that mean two things today. It only gets shorter: whoever touches one names both for what they are. */
export const DECLARED_TWICE: readonly string[] = [];
