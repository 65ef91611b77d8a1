// Which subjects the nodes of one connection use for readings. Where everybody knows groups they go to the rack of their node;
// while somebody is there who does not, to everybody, as before there were groups. A server whose permissions are of that time
// refuses the new subjects: its nodes then do as those did.

import { FLEET_WAYS, type FleetMembers } from './fleet-members.ts';
import type { FleetHearing, FleetSubjects } from './fleet-subjects.ts';

interface GroupHearingParts {
  readonly members: FleetMembers;
  readonly subjects: FleetSubjects;
  readonly hearing: FleetHearing;
}

export class GroupHearing {
  readonly #parts: GroupHearingParts;
  #isRefused = false;

  constructor(parts: GroupHearingParts) {
    this.#parts = parts;
  }

  /** All of it is subscribed to; what the server refuses is learnt by `refused`. */
  get subscribed(): readonly string[] {
    const { subjects, hearing } = this.#parts;
    return [...subjects.heard, ...subjects.heardOfGroups(hearing)];
  }

  /** The server did not let this node use a subject. */
  refused(subject: string): void {
    this.#isRefused ||= this.#parts.subjects.isOfGroups(subject);
  }

  /** For the digests of this node. */
  get ownWay(): number {
    return this.#isRefused ? FLEET_WAYS.earlier : FLEET_WAYS[this.#parts.hearing];
  }

  /** Readings of this node go to its group, and runs to their own subjects. */
  get isByGroups(): boolean {
    return !this.#isRefused && !this.#parts.members.hasEarlier;
  }

  /** Somebody hears no readings but those of its rack, and what is told to all such nodes now and then. */
  get hasSlow(): boolean {
    return this.isByGroups && this.#parts.members.hasOfGroups;
  }
}
