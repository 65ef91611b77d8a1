// The common form of messages with one cause: each number is #, each id …. Two requests that fail for the
// same reason differ in the id of the request, the count of tokens, a time or an address, and in nothing
// else.

export const foldedMessage = (text: string): string =>
  text
    .replace(UUID, ID)
    .replace(KNOWN_ID, `$1${ID}`)
    .replace(NAMED_ID, `$1${ID}`)
    .replace(HEX, ID)
    .replace(MIXED, ID)
    .replace(TIMESTAMP, '#')
    .replace(DURATION, '#')
    .replace(COUNTED, '$1#')
    .replace(NUMBER, '#');

/**
 * Coarser, for a folded message: every word with a digit, or with a folded part, is …, including a name such
 * as "gpt4".
 */
export const coarselyFolded = (folded: string): string => folded.replace(WORD_WITH_DIGIT, ID);

const ID = '…';
/** RFC 9562. */
const UUID = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/giu;
/** "req_2abc", "sk-proj-x1", "org-x12": what follows these is an id, however short. OpenAI masks keys with asterisks. */
const KNOWN_ID =
  /\b((?:req|request|sk|pk|org|proj|project|user|acct|chatcmpl|cmpl|resp|msg|call|run|thread|trace|span|session|batch|file)[-_])(?=[a-z_*-]*\d)\w[\w*-]*/giu;
/** "chatcmpl-9f3a…", "req_011CSHoEe…", "call_…": a short word, a sign, and at least eight signs of which one is a digit. */
const NAMED_ID = /\b([a-z]{2,12}[-_])(?=[a-z]*\d)[\da-z]{8,}\b/giu;
const HEX = /\b0x[\da-f]+\b|\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{6,}\b/giu;
/** A word of at least 16 signs that changes between letters and digits: a key, a trace. */
const MIXED = /\b(?=\w*[a-z]\w*\d|\w*\d\w*[a-z])\w{16,}\b/giu;
/** RFC 3339, also with a space. */
const TIMESTAMP = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?\b/gu;
/** "2m2.2s", "6m0s", "1h 5m", "20ms", as Go and OpenAI write them: which units there are depends on the length. */
const DURATION =
  /(?<![\w….,])\d+(?:[.,]\d+)*(?:ns|us|µs|ms|s|m|h|d)(?: ?\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h|d))*(?!\w)/gu;
/** One of several equal workers: which one it was is not another cause. */
const COUNTED =
  /\b((?:worker|rank|gpu|cuda|device|node|host|instance|replica|shard|pod|engine|process|thread|slot|layer|seq|request|req)[-_]?)\d+\b/giu;
/** With digit separators; "v1" and "gpt4" keep their digits, as names do. */
const NUMBER = /(?<![\w…])[+-]?\d+(?:[.,]\d+)*/gu;
const WORD_WITH_DIGIT = /(?<![\w#….*+-])[\w#….*+-]*[\d#…][\w#….*+-]*(?<!\.)/gu;
