// What the log of a daemon reports, once: the level of each event and its meaning. docs/service.md has the same table.

export type LogEvent = keyof typeof LOG_EVENTS;

export const LOG_EVENTS = {
  start: { level: 'info', meaning: 'The journal is read, and HTTP and the mesh listen.' },
  ready: { level: 'info', meaning: 'The first readings of this machine are there: `/readyz` answers 200.' },
  stop: { level: 'info', meaning: 'The daemon stops; `reason` says why. Level `error` if a part failed.' },
  'node-joined': { level: 'info', meaning: 'A node that was not known here has appeared.' },
  'node-seen': { level: 'debug', meaning: 'A node known from the journal has appeared since the start.' },
  'node-lost': {
    level: 'warn',
    meaning: 'Nothing has arrived from a node for a while, and it did not report a stop.',
  },
  'node-stopped': { level: 'info', meaning: 'A node has reported that it stops.' },
  'node-restored': { level: 'info', meaning: 'A lost or stopped node is back.' },
  'node-forgotten': { level: 'info', meaning: 'A node was removed from the view.' },
  'link-opened': { level: 'debug', meaning: 'A path of a link of this node has appeared.' },
  'link-lost': {
    level: 'error',
    meaning: 'A path of a link of this node is lost: `reason` says why, the interfaces of both ends first.',
  },
  'link-restored': { level: 'info', meaning: 'A lost path of this node is back.' },
  'link-forgotten': { level: 'info', meaning: 'A lost path was removed from the view.' },
  'warning-raised': {
    level: 'warn',
    meaning:
      'A warning that concerns this node has appeared; `error` if it is serious, `info` for a note, `debug` for warnings of other nodes.',
  },
  'warning-cleared': { level: 'info', meaning: 'It has ended; `debug` for warnings of other nodes.' },
  'notice-raised': { level: 'warn', meaning: 'Something about this daemon that a person should act on.' },
  'notice-cleared': { level: 'info', meaning: 'It is over.' },
  'service-manager': { level: 'warn', meaning: 'systemd cannot be notified.' },
  'lines-dropped': {
    level: 'warn',
    meaning: 'Lines above the limits below were not written; `count` says how many.',
  },
} as const;

/** At most one line each in the life of a daemon: no limit holds them back. */
export const UNLIMITED_EVENTS: ReadonlySet<LogEvent> = new Set(['start', 'ready', 'stop']);
