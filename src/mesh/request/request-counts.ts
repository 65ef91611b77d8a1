// What questions between peers count: nothing is refused or dropped without a number that says so.

export class RequestCounts {
  answered = 0;
  unknownTopics = 0;
  /** Past the rate of a peer, or too many at once. */
  overRate = 0;
  malformed = 0;
  /** Answers to nothing that is waited for: late, or made up. */
  unasked = 0;
}
